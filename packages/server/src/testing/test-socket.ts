import type { App } from '../app.ts'
import type { Call } from '../http/call.ts'
import { createConnection, type Connection } from '../socket/connection.ts'

/** A client of a socket under test, with no wire between. */
export interface TestSocket {
  /** Sends a message. */
  send(message: unknown): void
  /** The next message that was not taken yet, or that comes; rejects when the server closes. */
  next(): Promise<unknown>
  /** The code with which the server closed; null while it is open. */
  readonly closedWith: number | null
  /** Cuts the wire and connects again, as a client does on a bad day. */
  drop(): Promise<void>
  /** Leaves. */
  close(): Promise<void>
}

interface Waiting {
  resolve(message: unknown): void
  reject(error: Error): void
}

/** Connects to a socket of an app. */
export async function openTestSocket(app: App, toCall: () => Call): Promise<TestSocket> {
  const messages: unknown[] = []
  const waiting: Waiting[] = []
  let closedWith: number | null = null
  let connection = await connect()

  return {
    send: (message) => connection.receive(JSON.stringify(message)),
    next: () => new Promise((resolve, reject) => take({ resolve, reject })),
    get closedWith() {
      return closedWith
    },
    async drop() {
      await connection.ended()
      connection = await connect()
    },
    close: () => connection.ended(),
  }

  async function connect(): Promise<Connection> {
    const { socket, auth } = await app.admit(toCall())
    const wire = { send: (text: string) => hear(JSON.parse(text)), close: end }
    return createConnection({ socket, auth, wire, rooms: app.rooms, isSdk: false, log: app.log })
  }

  function take(one: Waiting): void {
    if (messages.length > 0) one.resolve(messages.shift())
    else if (closedWith !== null) one.reject(new Error(`the server closed the socket with ${closedWith}`))
    else waiting.push(one)
  }

  function hear(message: unknown): void {
    const first = waiting.shift()
    if (first === undefined) messages.push(message)
    else first.resolve(message)
  }

  function end(code: number): void {
    closedWith = code
    for (const one of waiting.splice(0)) one.reject(new Error(`the server closed the socket with ${code}`))
    void connection.ended()
  }
}
