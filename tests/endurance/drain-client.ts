import { connect, type Socket } from 'node:net'

/** A request that was sent, and got no byte of an answer. */
export interface Loss {
  readonly n: number
  /** The port it was sent from, and when that was connected. */
  readonly from: number
  readonly at: number
  /** Had the connection been used before? */
  readonly isKept: boolean
  /** What the connection said. */
  readonly how: string
}

/** What came of the requests of a client. */
export interface Outcome {
  /** The answer to each number; there must be one, and the right one. */
  readonly answers: Map<number, unknown>
  /** Answers that are no 200, are cut off, or came to nobody's question. */
  readonly wrong: string[]
  readonly losses: Loss[]
  refused: number
}

/** A connection that is used for one request after another, until the server says it will close. */
interface Wire {
  readonly socket: Socket
  /** Our port; the socket forgets it when it closes. */
  readonly from: number
  readonly at: number
  /** How many requests it has carried. */
  carried: number
}

/**
 * Sends numbers, one at a time, until `next` gives no more, each until it is answered.
 *
 * Which retries are honest? Where no connection came about, nothing was sent. A connection that ends without one byte of
 * an answer is sent again too, or the run could not go on, but is written down as a loss: the test looks up
 * whether a server had accepted that connection. Then it had to answer.
 */
export async function sendAll(
  port: number,
  outcome: Outcome,
  next: () => number | undefined,
  keepsAlive: boolean,
): Promise<void> {
  let wire: Wire | undefined
  for (let n = next(); n !== undefined; n = next()) {
    for (let isAnswered = false; !isAnswered;) {
      wire ??= await open(port, outcome)
      const answer = await exchange(wire, toRequest(n, keepsAlive))
      isAnswered = typeof answer !== 'string'
      if (typeof answer === 'string')
        note(outcome, { n, from: wire.from, at: wire.at, isKept: wire.carried > 1, how: answer })
      else record(outcome, n, answer)
      if (typeof answer === 'string' || answer.isLast) {
        wire.socket.destroy()
        wire = undefined
      }
    }
  }
  wire?.socket.destroy()
}

/** Connects, however long nobody listens. */
async function open(port: number, outcome: Outcome): Promise<Wire> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const code = await new Promise<string>((resolve) => {
      socket
        .once('connect', () => resolve(''))
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
    if (code === '') return { socket, from: socket.localPort ?? 0, at: Date.now(), carried: 0 }
    outcome.refused++
    // Reset while connecting: it waited at the door when that was closed. Nothing was sent yet.
    if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET') outcome.wrong.push(`connecting failed with ${code}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

interface Answered {
  readonly status: number
  readonly body: string
  /** Will the server close the connection? */
  readonly isLast: boolean
}

/** Sends one request; a string says how the connection ended without a byte of an answer. */
function exchange(wire: Wire, request: string): Promise<Answered | string> {
  const { socket } = wire
  wire.carried++
  return new Promise((resolve) => {
    let text = ''
    let how = 'the end of the connection'
    const done = (result: Answered | string): void => {
      socket.removeAllListeners()
      // A late error of a connection we are done with is nobody's business.
      socket.on('error', () => undefined)
      resolve(result)
    }
    const onData = (part: Buffer): void => {
      text += part.toString('latin1')
      const answer = parse(text)
      if (answer !== undefined) done(answer)
    }
    socket.on('data', onData).on('error', (error: NodeJS.ErrnoException) => (how = error.code ?? error.message))
    socket.on('close', () =>
      done(text === '' ? how : { status: 0, body: `cut off after ${JSON.stringify(text)}`, isLast: true }),
    )
    socket.on('end', () => socket.end())
    socket.write(request)
  })
}

function parse(text: string): Answered | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
  const body = text.slice(end + 4)
  if (body.length < length) return undefined
  if (body.length > length) return { status: 0, body: `more than an answer: ${JSON.stringify(text)}`, isLast: true }
  return { status: Number(text.slice(9, 12)), body, isLast: /\r\nconnection: close/i.test(head) }
}

function record(outcome: Outcome, n: number, { status, body }: Answered): void {
  if (status !== 200) outcome.wrong.push(`${n}: ${status} ${body}`)
  else if (outcome.answers.has(n)) outcome.wrong.push(`${n} was answered twice`)
  outcome.answers.set(n, status === 200 ? JSON.parse(body) : body)
}

function note(outcome: Outcome, loss: Loss): void {
  outcome.losses.push(loss)
}

/** Most are quick; some take long enough to be in flight whenever the server is told to end. */
function toRequest(n: number, keepsAlive: boolean): string {
  const wait = n % 500 === 0 ? 400 : n % 20 === 0 ? 15 : 0
  const body = JSON.stringify({ n, wait })
  return `POST /agent/echo HTTP/1.1\r\nHost: localhost\r\nConnection: ${keepsAlive ? 'keep-alive' : 'close'}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
