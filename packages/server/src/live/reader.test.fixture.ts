import { LIVE_SOCKET } from '@sdk/protocol'
import { fromWebRequest } from '../app/fetch-adapter.ts'
import type { App, Log } from '../index.ts'
import type { ClientConnection } from '../socket/accepted-client.ts'
import type { Transport } from '../socket/transport.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** A client that receives plain JSON. */
export interface Reader {
  readonly texts: string[]
  readonly connection: ClientConnection
  /** The size of the client's send buffer, which the test sets. */
  buffered: number
  closedWith: number | null
}

/** Connects a client to the socket for live data. */
export async function connectReader(app: App, headers: Record<string, string> = {}): Promise<Reader> {
  const admission = await app.admit(fromWebRequest(new Request(`http://a${LIVE_SOCKET}`, { headers })))
  const reader = { texts: [] as string[], buffered: 0, closedWith: null as number | null }
  const nothing = (): void => {}
  const transport: Transport = {
    send: (text) => void reader.texts.push(text),
    sendShared: ({ text }) => void reader.texts.push(text),
    get buffered() {
      return reader.buffered
    },
    flushed: 0,
    received: 0,
    pause: nothing,
    resume: nothing,
    ping: nothing,
    close: (code) => void (reader.closedWith = code),
    terminate: nothing,
  }
  const connection = app.sockets.connect({ ...admission, transport, isSdk: false, log: silent })
  return Object.assign(reader, { connection })
}

/** Resolves when a condition is true. */
export async function until(isDone: () => boolean): Promise<void> {
  const end = Date.now() + 5_000
  while (!isDone()) {
    if (Date.now() > end) throw new Error('the condition did not become true within 5 s')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
