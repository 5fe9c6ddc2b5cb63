import type { ClientConnection } from '../socket/accepted-client.ts'
import {
  ApiError,
  CLOSE,
  codeOfStatus,
  encodeFrame,
  fromEnvelope,
  type ClientFrame,
  type Position,
  type ServerFrame,
  type SocketName,
  type SocketOf,
} from '@sdk/protocol'
import type { App } from '../app/app.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { withFields } from '../log/log.ts'
import type { Transport } from '../socket/transport.ts'
import { MessageQueue, type NextOptions } from './message-queue.ts'

/** A socket path of the app, with or without a query, or any other string, so that tests can use unknown paths. */
export type AnySocketPath = SocketName | (string & {})

/** The types of the socket at a path, with or without a query. */
export type SocketAt<Path extends string> = SocketOf<Path extends `${infer Name}?${string}` ? Name : Path>

/**
 * A test client that connects to a socket without a network. Like the real client, it numbers messages, resends
 * unacknowledged messages and resumes its session.
 */
export interface TestSocket<Send = unknown, Receive = unknown> {
  /** Sends a message. */
  send(message: Send): void
  /**
   * Resolves with the first unread message, or with the first one that matches. Waits up to 30 s for such a message.
   * Other messages are kept for later calls. Rejects with an `ApiError` if a sent message is rejected or the server
   * disconnects the client.
   * @example await socket.next((message) => message.type === 'said')
   */
  next<Message extends Receive>(
    matches: (message: Receive) => message is Message,
    options?: NextOptions,
  ): Promise<Message>
  next(matches?: (message: Receive) => unknown, options?: NextOptions): Promise<Receive>
  /** The server's close code, or null while the socket is open. */
  readonly closedWith: number | null
  /** Drops the connection and reconnects, as a client on a bad network does. No messages are lost. */
  drop(): Promise<void>
  /** Disconnects. */
  close(): Promise<void>
}

/** The test clients of an app. */
export type TestClients = Set<TestClient>

/** Connects to one of an app's sockets. The client is added to `clients`. */
export async function openTestSocket(
  app: App,
  toCall: () => ServerRequest,
  clients: TestClients,
): Promise<TestSocket<unknown, never>> {
  const client = new TestClient(app, toCall)
  clients.add(client)
  await client.connect()
  return client
}

class TestClient implements TestSocket<unknown, never> {
  readonly #app: App
  readonly #toCall: () => ServerRequest
  readonly #mailbox = new MessageQueue(() => this.#unconfirmed.length)
  readonly #places = new Map<string, Position>()
  #unconfirmed: { i: number; d: unknown }[] = []
  #connection: ClientConnection | null = null
  #welcomed: (() => void) | null = null
  #sid: string | null = null
  #received = 0
  #sent = 0
  closedWith: number | null = null

  constructor(app: App, toCall: () => ServerRequest) {
    this.#app = app
    this.#toCall = toCall
  }

  async connect(): Promise<void> {
    const call = this.#toCall()
    const admission = await this.#app.admit(call)
    const isMadeUp = call.auth !== undefined
    const log = withFields(this.#app.log, { socket: admission.path })
    this.#connection = this.#app.sockets.connect({ ...admission, isMadeUp, transport: this.#wire(), isSdk: true, log })
    const welcomed = new Promise<void>((resolve) => (this.#welcomed = resolve))
    this.#send({ o: 'hi', v: 1, sid: this.#sid, rx: this.#received, pos: Object.fromEntries(this.#places) })
    await welcomed
    for (const message of this.#unconfirmed) this.#send({ o: 'm', ...message, r: 1 })
  }

  send(message: unknown): void {
    const sent = { i: ++this.#sent, d: message }
    this.#unconfirmed.push(sent)
    this.#send({ o: 'm', ...sent })
  }

  next(matches?: (message: never) => unknown, { timeoutMs }: NextOptions = {}): Promise<never> {
    return this.#mailbox.take({ matches, timeoutMs })
  }

  async drop(): Promise<void> {
    await this.close()
    await this.connect()
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    await connection?.onClose()
  }

  /** Disconnects because the app is closed. */
  async end(): Promise<void> {
    this.#mailbox.end(new Error('the app was closed'))
    await this.close()
  }

  #wire(): Transport {
    const send = (text: string): void => this.#take(JSON.parse(text) as ServerFrame)
    const nothing = (): void => {}
    return {
      send,
      sendShared: ({ text }) => send(text),
      buffered: 0,
      flushed: 0,
      received: 0,
      pause: nothing,
      resume: nothing,
      ping: nothing,
      close: (code, reason) => this.#closed(code, reason),
      terminate: () => this.#closed(1006, ''),
    }
  }

  #send(frame: ClientFrame): void {
    this.#connection?.receive(encodeFrame(frame))
  }

  #take(frame: ServerFrame): void {
    if (this.#connection === null) return // the client has disconnected
    if (frame.o === 'ok') {
      this.#sid = frame.sid
      this.#welcomed?.()
    } else if (frame.o === 'm') this.#message(frame)
    else if (frame.o === 'a') this.#unconfirmed = this.#unconfirmed.filter(({ i }) => i > frame.i)
    else if (frame.o === 'e') this.#failed(frame)
    else if (frame.o === 'at') this.#places.set(frame.s, [frame.e, frame.i])
    else if (frame.o === 'left') this.#places.delete(frame.s)
  }

  #message({ s: room, e: epoch = '', i, d }: Extract<ServerFrame, { o: 'm' }>): void {
    if (room === undefined) this.#received = i || this.#received // 0 is the number of all messages that are sent once
    else this.#places.set(room, [epoch, i])
    this.#mailbox.add({ message: d })
  }

  #failed({ i, error }: Extract<ServerFrame, { o: 'e' }>): void {
    if (i === 0) return // the close frame that follows contains the same error
    this.#unconfirmed = this.#unconfirmed.filter((message) => message.i !== i)
    this.#mailbox.add({ refusal: fromEnvelope({ error }, { status: 400 }) })
  }

  #closed(code: number, reason: string): void {
    this.closedWith = code
    this.#welcomed?.()
    this.#mailbox.end(toCloseError(code, reason))
    void this.close()
  }
}

/**
 * Creates the same error as the real client: an `ApiError` if the close code represents an HTTP status, or if the app
 * gave a reason.
 */
function toCloseError(closed: number, reason: string): Error {
  const status = closed - 4000
  const [, code = codeOfStatus(status), message = reason] = /^([A-Z][A-Z0-9_]*): (.*)/s.exec(reason) ?? []
  if (status >= 400 && status < 600) return new ApiError(code, message, { status })
  if (closed === CLOSE.finished && reason !== '') return new ApiError('CLOSED', reason)
  return new Error(`the server closed the socket with ${closed}${reason && `: ${reason}`}`)
}
