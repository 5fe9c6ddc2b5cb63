import { openSocket, type SocketClient, type TextFrame } from '../harness/socket-client.ts'
import type { Dialect, Speaker } from './dialects.ts'

/** Options for `openCrowd`. */
export interface CrowdOptions {
  readonly port: number
  readonly dialect: Dialect
  readonly size: number
  /** Called for every message that a client receives. */
  readonly onMessage: (speaker: Speaker, frame: TextFrame) => void
}

/** Many clients of one server. */
export interface Crowd {
  readonly speakers: readonly Speaker[]
  close(): void
}

/** The number of concurrent connects: at most the backlog of a listener. */
const AT_ONCE = 50
const RECEIPTS_MS = 200

/** Connects clients, and waits until all have joined. */
export async function openCrowd({ port, dialect, size, onMessage }: CrowdOptions): Promise<Crowd> {
  const clients: SocketClient[] = []
  const speakers: Speaker[] = []
  let left = size
  await Promise.all(Array.from({ length: AT_ONCE }, connectSome))
  const receipts = setInterval(() => {
    for (const speaker of speakers) speaker.tick()
  }, RECEIPTS_MS)
  return {
    speakers,
    close() {
      clearInterval(receipts)
      for (const client of clients) client.close()
    },
  }

  async function connectSome(): Promise<void> {
    while (left-- > 0) await connectOne()
  }

  async function connectOne(): Promise<void> {
    let enter: () => void = () => {}
    const entered = new Promise<void>((resolve) => (enter = resolve))
    const early: string[] = []
    let client: SocketClient = { send: (text) => early.push(text), close() {} }
    const speaker = dialect.speak(() => client, enter)
    const { path, protocol } = dialect
    const onText = (frame: TextFrame): void => {
      if (speaker.hear(frame)) onMessage(speaker, frame)
    }
    client = await openSocket({ port, path, ...(protocol !== undefined && { protocol }), onText })
    for (const text of early) client.send(text) // the server sent a message in the same bytes as the handshake
    clients.push(client)
    speakers.push(speaker)
    speaker.greet()
    if (dialect.isGreeted) await entered
  }
}
