import type { createFakeWebSockets, FakeSocket } from './fake-web-socket.test.fixture.ts'

/** An event on the server. `restart` discards the session, and `kill` discards only its state. */
export type ModelStep =
  | { do: 'handle'; count: number }
  | { do: 'acknowledge' | 'fail' | 'reply' | 'deliver' | 'bye' | 'cut' | 'restart' | 'kill' }

/** A minimal server for one client. It handles messages in order, and keeps replies until they are delivered. */
export interface ModelServer {
  /** Messages in the order in which they were handled. */
  readonly handled: { message: number; isMarked: boolean }[]
  /** All replies that were created, and those that were lost with their server. */
  readonly replies: number[]
  readonly lost: Set<number>
  act(step: ModelStep): void
  /** Accepts the newest connection and sends `ok`, unless this has already happened. */
  welcome(): void
}

interface Session {
  /** The last message that was handled, or null if the session is from an earlier process. */
  done: number | null
  /** The last reply that was created, or null until the client has reported the last one it received. */
  made: number | null
  /** The last reply that was delivered. */
  delivered: number
  ring: { i: number; d: number }[]
}

export function createModelServer(
  fake: ReturnType<typeof createFakeWebSockets>,
  { win }: { win: number },
): ModelServer {
  const handled: ModelServer['handled'] = []
  const replies: number[] = []
  const lost = new Set<number>()
  let session: Session | null = null
  let socket: FakeSocket | null = null
  let read = 0

  return { handled, replies, lost, act, welcome }

  function act(step: ModelStep): void {
    if (session === null || socket === null) return
    if (step.do === 'handle') for (let n = 0; n < step.count; n++) handle(session)
    if (step.do === 'acknowledge') socket.deliver({ o: 'a', i: session.done ?? 0 })
    if (step.do === 'fail' && handle(session))
      socket.deliver({ o: 'e', i: session.done ?? 0, error: { code: 'CONFLICT', message: 'no', details: [] } })
    if (step.do === 'reply') make(session)
    if (step.do === 'deliver') deliver(session)
    if (step.do === 'bye') socket.deliver({ o: 'bye', after: 10, why: 'restart' })
    if (step.do === 'restart' || step.do === 'kill') {
      for (const { d } of undelivered(session)) lost.add(d)
      session = step.do === 'kill' ? { done: null, made: null, delivered: 0, ring: [] } : null
    }
    if (step.do === 'cut' || step.do === 'restart' || step.do === 'kill') {
      socket.hangUp(1006)
      socket = null
    }
  }

  function handle(current: Session): boolean {
    const next = socket?.messages()[read]
    if (next === undefined) return false
    read++
    if (current.done !== null && next.i <= current.done) return false
    if (current.done !== null && next.i !== current.done + 1)
      throw new Error(`message ${next.i} came after ${current.done}`)
    current.done = next.i
    handled.push({ message: next.d as number, isMarked: next.r === 1 })
    return true
  }

  function make(current: Session): void {
    current.made = (current.made ?? 0) + 1
    replies.push(replies.length + 1)
    current.ring.push({ i: current.made, d: replies.length })
  }

  function undelivered({ ring, delivered }: Session): Session['ring'] {
    return ring.filter(({ i }) => i > delivered)
  }

  function deliver(current: Session): void {
    // The last reply is sent again, since a real server might not know whether it was delivered.
    for (const message of current.ring) if (message.i >= current.delivered) socket?.deliver({ o: 'm', ...message })
    current.delivered = current.made ?? 0
  }

  function welcome(): void {
    const newest = fake.last()
    if (newest.isClosed || newest === socket) return
    newest.accept()
    const hi = newest.sent[0]
    if (hi?.o !== 'hi') throw new Error('a client says hi first')
    const isKnown = session !== null
    session ??= { done: 0, made: 0, delivered: 0, ring: [] }
    if (isKnown) session.delivered = hi.rx
    session.made ??= hi.rx
    socket = newest
    read = 0
    const limits = { hb: 20_000, win, max: 1_048_576, spread: 0 }
    newest.deliver({ o: 'ok', sid: 's', res: isKnown, ack: session.done ?? 0, ...limits })
    if (session.done === null) newest.deliver({ o: 'gap', from: hi.rx, to: hi.rx })
  }
}
