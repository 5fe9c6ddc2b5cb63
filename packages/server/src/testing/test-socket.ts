import {
  ApiError,
  codeOfStatus,
  encodeFrame,
  fromEnvelope,
  type ClientFrame,
  type Position,
  type ServerFrame,
} from '@sdk/protocol'
import type { App } from '../app.ts'
import type { Call } from '../http/call.ts'
import { withFields } from '../log/log.ts'
import type { Connection } from '../socket/hub.ts'
import type { Wire } from '../socket/wire.ts'

/** A client of a socket under test, with no network between. It numbers, confirms and resumes as the real one does. */
export interface TestSocket {
  /** Sends a message. */
  send(message: unknown): void
  /**
   * The next message that was not taken yet, or that comes within 30 s. Rejects with the `ApiError` of a message that was
   * refused, or of a server that sends the client away.
   */
  next(): Promise<unknown>
  /** The code with which the server closed; null while it is open. */
  readonly closedWith: number | null
  /** Cuts the wire and connects again, as a client does on a bad day: nothing is lost. */
  drop(): Promise<void>
  /** Leaves. */
  close(): Promise<void>
}

/** Connects to a socket of an app. */
export async function openTestSocket(app: App, toCall: () => Call): Promise<TestSocket> {
  const client = new Client(app, toCall)
  await client.connect()
  return client
}

/** How long a message may take to come, in ms: a database may have to be opened first. */
const PATIENCE = 30_000

interface Waiting {
  resolve(message: unknown): void
  reject(error: unknown): void
}

class Client implements TestSocket {
  readonly #app: App
  readonly #toCall: () => Call
  readonly #heard: ((waiting: Waiting) => void)[] = []
  readonly #waiting = new Map<Waiting, NodeJS.Timeout>()
  readonly #places = new Map<string, Position>()
  #unconfirmed: { i: number; d: unknown }[] = []
  #connection: Connection | null = null
  #welcomed: (() => void) | null = null
  #sid: string | null = null
  #received = 0
  #sent = 0
  #end: Error | null = null
  closedWith: number | null = null

  constructor(app: App, toCall: () => Call) {
    this.#app = app
    this.#toCall = toCall
  }

  async connect(): Promise<void> {
    const call = this.#toCall()
    const { socket, auth, path, query } = await this.#app.admit(call)
    const isMadeUp = call.auth !== undefined
    const log = withFields(this.#app.log, { socket: path })
    const arrival = { socket, auth, isMadeUp, path, query, wire: this.#wire(), isSdk: true, log }
    this.#connection = this.#app.sockets.connect(arrival)
    const welcomed = new Promise<void>((resolve) => (this.#welcomed = resolve))
    this.#tell({ o: 'hi', v: 1, sid: this.#sid, rx: this.#received, pos: Object.fromEntries(this.#places) })
    await welcomed
    for (const message of this.#unconfirmed) this.#tell({ o: 'm', ...message, r: 1 })
  }

  send(message: unknown): void {
    const sent = { i: ++this.#sent, d: message }
    this.#unconfirmed.push(sent)
    this.#tell({ o: 'm', ...sent })
  }

  next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const first = this.#heard.shift()
      if (first !== undefined) first({ resolve, reject })
      else if (this.#end !== null) reject(this.#end)
      else this.#wait({ resolve, reject })
    })
  }

  /** Not for ever: a runner that waits for nothing else would end, and say nothing of why. */
  #wait(waiting: Waiting): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      waiting.reject(this.#silence())
    }, PATIENCE)
    this.#waiting.set(waiting, timer)
  }

  /** Who has waited longest; it waits no more. */
  #first(): Waiting | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [waiting, timer] = first
    clearTimeout(timer)
    this.#waiting.delete(waiting)
    return waiting
  }

  #silence(): Error {
    const { length } = this.#unconfirmed
    const rest = length === 0 ? '' : `, and ${length} that were sent are not handled yet`
    return new Error(`no message came within ${PATIENCE / 1000} s${rest}`)
  }

  async drop(): Promise<void> {
    await this.close()
    await this.connect()
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    await connection?.ended()
  }

  #wire(): Wire {
    const send = (text: string): void => this.#take(JSON.parse(text) as ServerFrame)
    const nothing = (): void => {}
    return {
      send,
      sendShared: ({ text }) => send(text),
      buffered: 0,
      flushed: 0,
      pause: nothing,
      resume: nothing,
      ping: nothing,
      close: (code, reason) => this.#closed(code, reason),
      terminate: () => this.#closed(1006, ''),
    }
  }

  #tell(frame: ClientFrame): void {
    this.#connection?.receive(encodeFrame(frame))
  }

  #take(frame: ServerFrame): void {
    if (this.#connection === null) return // the wire is cut
    if (frame.o === 'ok') this.#welcome(frame.sid)
    else if (frame.o === 'm') this.#message(frame)
    else if (frame.o === 'a') this.#unconfirmed = this.#unconfirmed.filter(({ i }) => i > frame.i)
    else if (frame.o === 'e') this.#failed(frame)
    else if (frame.o === 'at') this.#places.set(frame.s, [frame.e, frame.i])
    else if (frame.o === 'left') this.#places.delete(frame.s)
  }

  #welcome(sid: string): void {
    this.#sid = sid
    this.#welcomed?.()
  }

  #message({ s: room, e: epoch = '', i, d }: Extract<ServerFrame, { o: 'm' }>): void {
    if (room === undefined) this.#received = i
    else this.#places.set(room, [epoch, i])
    this.#hear(({ resolve }) => resolve(d))
  }

  #failed({ i, error }: Extract<ServerFrame, { o: 'e' }>): void {
    this.#unconfirmed = this.#unconfirmed.filter((message) => message.i !== i)
    this.#hear(({ reject }) => reject(fromEnvelope({ error }, { status: 400 })))
  }

  #hear(answer: (waiting: Waiting) => void): void {
    const first = this.#first()
    if (first === undefined) this.#heard.push(answer)
    else answer(first)
  }

  #closed(code: number, reason: string): void {
    this.closedWith = code
    this.#end = toError(code, reason)
    this.#welcomed?.()
    for (let one = this.#first(); one !== undefined; one = this.#first()) one.reject(this.#end)
    void this.close()
  }
}

/** Of a close code that is a status, the error that the real client shows. */
function toError(closed: number, reason: string): Error {
  const status = closed - 4000
  const [, code = codeOfStatus(status), message = reason] = /^([A-Z][A-Z0-9_]*): (.*)/s.exec(reason) ?? []
  if (status >= 400 && status < 600) return new ApiError(code, message, { status })
  return new Error(`the server closed the socket with ${closed}${reason && `: ${reason}`}`)
}
