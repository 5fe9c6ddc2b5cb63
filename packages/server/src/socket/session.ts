import type { SessionParts } from './session-parts.ts'
import type { Arrival } from './arrival.ts'
import { CLOSE, toEnvelope, type ApiError, type ServerFrame } from '@sdk/protocol'
import { errorFields, type Log } from '../log/log.ts'
import { closeCodeOf, closeReasonOf } from './close-code.ts'
import { Incoming, type Handling, type IncomingStart, type Message } from './inbox.ts'
import type { Link } from './client-link.ts'
import { Memberships, type Member, type Places } from './memberships.ts'
import { Outgoing } from './outbox.ts'
import { SessionPeer } from './peer.ts'
import type { Handed } from './node-messaging.ts'
import { runHandler, toAnyError, toJson } from './run-handler.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import { WorkQueue } from './work-queue.ts'

/** What a session is. */
export interface SessionStart extends IncomingStart {
  /** Known to everybody. */
  readonly id: string
  /** Known to its client alone: who has it may resume the session. Empty where nobody may. */
  readonly secret: string
  /** The user's id; null for nobody. */
  readonly owner: string | null
  readonly isSdk: boolean
  readonly path: string
  readonly log: Log
  /** How many messages it was sent elsewhere. */
  readonly sent: number
  /** The process that its client came from; empty where it began here. */
  readonly from: string
  /** Did all of its state come along? */
  readonly isWhole: boolean
  /** The processes that may have something to say to its client still. */
  readonly before: readonly string[]
}

/** What a client has already: all messages up to a number, and its places in rooms. */
export interface Possessions {
  readonly upTo: number
  readonly places: Places
}

/** Errors that are kept for a client that is away. */
const MAX_ERRORS = 32

/** How long to wait for an engine that failed, in ms. */
const RETRY_AFTER = 1_000

/** How long another process waits for the handler that runs here, in ms. */
const HANDLER_PATIENCE = 500

/** Of a session that has had no connection yet. */
const NO_HANDLERS: AnySocketDefinition = {}

/** What one client and one process share. It outlives the connection for a while. */
export class Session implements Handling, Member {
  readonly start: SessionStart
  readonly parts: SessionParts
  readonly peer: SessionPeer
  readonly outgoing: Outgoing
  readonly incoming: Incoming
  readonly memberships: Memberships
  link: Link | null = null
  /** The handlers, as they are since the last connection was made, or the app was replaced. */
  socket: AnySocketDefinition = NO_HANDLERS
  /** Since when there is no link. */
  awaySince = 0
  /** Has its client said anything here? Then it knows that it is here. */
  hasSpoken = false
  /** Its handlers, which run one after the other. */
  readonly queue: WorkQueue
  #errors: ServerFrame[] = []
  /** Has `open` finished, and `close` not run since? */
  #wasLetIn = false
  #acknowledged: number

  constructor(start: SessionStart, parts: SessionParts) {
    this.start = start
    this.parts = parts
    this.peer = new SessionPeer(this)
    this.queue = new WorkQueue(start.log)
    this.outgoing = new Outgoing(this, parts, start.sent)
    this.incoming = new Incoming(this, start)
    this.memberships = new Memberships(this)
    this.#acknowledged = this.incoming.handled
  }

  get isSdk(): boolean {
    return this.start.isSdk
  }

  /** A message to its client, as the socket's schema makes it. */
  toJson(message: unknown): string {
    return toJson(this.socket.send, message)
  }

  /** There is a connection. */
  attach(link: Link, { socket, auth, query }: Pick<Arrival, 'socket' | 'auth' | 'query'>, has: Possessions): void {
    const handlers = this.parts.handlersOf({ path: this.start.path, socket })
    this.link = link
    if (handlers === undefined) return this.gone()
    this.socket = handlers
    this.peer.auth = auth
    this.peer.query = query
    if (this.incoming.isPaused) link.pause()
    for (const frame of this.#errors.splice(0)) link.tell(frame)
    this.outgoing.attach(has.upTo)
    this.memberships.attach(has.places)
    this.queue.add(() => this.#open(link))
  }

  /** The connection is gone; settles when the close handler has run. */
  detach(link: Link): Promise<void> {
    if (this.link !== link) return Promise.resolve()
    this.link = null
    this.awaySince = this.parts.now()
    this.memberships.detach()
    this.queue.add(() => this.#close())
    return new Promise((resolve) => this.queue.add(() => resolve()))
  }

  /** The client has a newer connection. */
  replace(code: number = CLOSE.replaced): void {
    const { link } = this
    if (link === null) return
    void this.detach(link)
    link.close(code, 'the client has a newer connection')
  }

  /** The client is in another process, and has the messages up to `has`: what is said to it from now on goes there. */
  async handOver(has: number, forward: (json: string) => void): Promise<Handed> {
    this.incoming.drop() // what is not handled yet is sent again, there
    // By `restart`, so that a client that has given up waiting for that process comes back, and does not stop for good.
    this.replace(CLOSE.restart)
    await Promise.race([this.queue.empty(), new Promise((resolve) => setTimeout(resolve, HANDLER_PATIENCE))])
    return this.leave(has, forward)
  }

  /** What is left of it for the process that its client comes to, as it is now. */
  leave(has: number, forward: (json: string) => void): Handed {
    const { handled } = this.incoming
    const { before } = this.start
    return { handled, errors: this.#errors.splice(0), before, ...this.outgoing.handOver(has, forward) }
  }

  /** The client was in another process until now. */
  takeOver(handed: Handed): void {
    this.#errors = [...handed.errors]
    this.outgoing.takeOver(handed)
  }

  /** There is no such socket any more. */
  gone(): void {
    this.refuse(CLOSE.notFound, 'there is no such socket any more')
  }

  /** Ends the connection; what came over it and waits is not handled. */
  refuse(code: number, reason: string): void {
    this.link?.close(code, reason)
    this.incoming.drop()
  }

  /** The client can take messages again. */
  drained(): void {
    this.outgoing.catchUp()
    this.memberships.drained()
  }

  receive(message: Message): void {
    // It came before: its receipt was lost, or is on its way.
    if (!this.incoming.receive(message)) this.parts.acks.add(this)
  }

  /** Settles when all that came was handled, and said to be. */
  async settled(): Promise<void> {
    await this.queue.empty()
    await this.parts.acks.now(this)
  }

  /** Saves how far messages were handled, then tells: another process must not handle again what was acknowledged. */
  acknowledge(): void | Promise<void> {
    const { handled } = this.incoming
    if (!this.isSdk || handled === 0) return
    this.#acknowledged = handled
    const saved = this.parts.engine.sequence.set(this.start.id, handled)
    const tell = (): void => this.link?.tell({ o: 'a', i: handled })
    if (!(saved instanceof Promise)) return tell()
    return saved.then(tell, (error: unknown) => {
      this.parts.log.warn('receipts wait for the engine', errorFields(error))
      setTimeout(() => this.parts.acks.add(this), RETRY_AFTER)
    })
  }

  async #open(link: Link): Promise<void> {
    try {
      const data = await this.socket.open?.(this.peer)
      if (data !== undefined) this.peer.data = data as never
    } catch (thrown) {
      const error = toAnyError(thrown, this)
      return this.refuse(closeCodeOf(error.status), error.status === 500 ? 'setup failed' : closeReasonOf(error))
    }
    this.#wasLetIn = true
    if (this.link === link) this.memberships.tellOthers()
  }

  /** Runs `close`, but only after `open` has finished, which prepares what `close` needs. */
  #close(): unknown {
    const wasLetIn = this.#wasLetIn
    this.#wasLetIn = false
    return wasLetIn ? this.socket.close?.(this.peer) : undefined
  }

  handle(message: Message): void | Promise<void> {
    this.peer.messageId = `${this.start.id}-${message.number}`
    this.peer.redelivered = message.isRedelivered
    const error = runHandler(message, this)
    if (error instanceof Promise) return error.then((later) => this.#handled(message, later))
    this.#handled(message, error)
  }

  #handled({ number }: Message, error: ApiError | null): void {
    if (error !== null) this.#tellError(number, error)
  }

  done(): void {
    if (!this.isSdk) return
    const isMany = this.incoming.handled - this.#acknowledged >= this.parts.limits.ackEvery
    if (isMany) void this.parts.acks.now(this)
    else this.parts.acks.add(this)
  }

  #tellError(number: number, error: ApiError): void {
    const { error: told } = toEnvelope(error)
    if (!this.isSdk) return void this.link?.send(JSON.stringify({ error: told }))
    const frame: ServerFrame = { o: 'e', i: number, status: error.status, error: told }
    if (this.link !== null) this.link.tell(frame)
    else if (this.#errors.length < MAX_ERRORS) this.#errors.push(frame)
  }
}
