import type { SessionDependencies } from './session-dependencies.ts'
import type { AcceptedClient } from './accepted-client.ts'
import { toEnvelope, type ApiError, type ServerFrame } from '@sdk/protocol'
import { errorFields, type Log } from '../log/log.ts'
import { END, toRefusal, type ConnectionEnd } from './connection-end.ts'
import { Inbox, type InboxOwner, type InboxStart, type ClientMessage } from './inbox.ts'
import type { ClientLink } from './client-link.ts'
import { Memberships, type RoomMember, type Positions } from './memberships.ts'
import { Outbox } from './outbox.ts'
import { SessionPeer } from './peer.ts'
import type { SessionSnapshot } from './node-messaging.ts'
import { checkMessage, runMessageHandler, toHandlerError, toMessageJson } from './run-message-handler.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import { WorkQueue } from './work-queue.ts'

/** What a session is. */
export interface SessionStart extends InboxStart {
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
export interface ClientState {
  readonly upTo: number
  readonly positions: Positions
}

/** Errors that are kept for a client that is away. */
const MAX_ERRORS = 32

/** How long to wait for an engine that failed, in ms. */
const ACK_RETRY_MS = 1_000

/** How long another process waits for the handler that runs here, in ms. */
const HANDLER_TIMEOUT_MS = 500

/** Of a session that has had no connection yet. */
const NO_HANDLERS: AnySocketDefinition = {}

/** What one client and one process share. It outlives the connection for a while. */
export class Session implements InboxOwner, RoomMember {
  readonly start: SessionStart
  readonly deps: SessionDependencies
  readonly peer: SessionPeer
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly memberships: Memberships
  link: ClientLink | null = null
  /** The handlers, as they are since the last connection was made, or the app was replaced. */
  socket: AnySocketDefinition = NO_HANDLERS
  /** Since when there is no link. */
  disconnectedAt = 0
  /** Has its client said anything here? Then it knows that it is here. */
  hasReceivedFrame = false
  /** The standstills after which the client has shown that it is still here. */
  #knownStandstills: number
  /** Its handlers, which run one after the other. */
  readonly queue: WorkQueue
  #errors: ServerFrame[] = []
  /** Has `open` finished, and `close` not run since? */
  #isOpened = false
  #acknowledged: number

  constructor(start: SessionStart, deps: SessionDependencies) {
    this.start = start
    this.deps = deps
    this.peer = new SessionPeer(this)
    this.queue = new WorkQueue(start.log)
    this.outbox = new Outbox(this, deps, start.sent)
    this.inbox = new Inbox(this, start)
    this.memberships = new Memberships(this)
    this.#acknowledged = this.inbox.handled
    this.#knownStandstills = deps.standstills.count()
  }

  /** Did the process stand still since the client last showed that it is here? Its messages may be handled elsewhere. */
  get isDoubtful(): boolean {
    return this.#knownStandstills !== this.deps.standstills.count()
  }

  /** The client has answered a ping that was sent after this many standstills. */
  onAnswer(standstills: number): void {
    this.#knownStandstills = standstills
  }

  get isSdk(): boolean {
    return this.start.isSdk
  }

  /** A message to its client, as the socket's schema makes it. */
  toJson(message: unknown): string {
    return toMessageJson(this.socket.send, message)
  }

  /** There is a connection. */
  attach(
    link: ClientLink,
    { socket, auth, query }: Pick<AcceptedClient, 'socket' | 'auth' | 'query'>,
    has: ClientState,
  ): void {
    const handlers = this.deps.handlersOf({ path: this.start.path, socket })
    this.link = link
    if (handlers === undefined) return this.refuse(END.removeSocket)
    this.socket = handlers
    this.peer.auth = auth
    this.peer.query = query
    if (this.inbox.isPaused) link.pause()
    for (const frame of this.#errors.splice(0)) link.sendFrame(frame)
    this.outbox.attach(has.upTo)
    this.memberships.attach(has.positions)
    this.queue.add(() => this.#open(link))
  }

  /** The connection is gone; settles when the close handler has run. */
  detach(link: ClientLink): Promise<void> {
    if (this.link !== link) return Promise.resolve()
    this.link = null
    this.disconnectedAt = this.deps.now()
    this.memberships.detach()
    this.queue.add(() => this.#close())
    return new Promise((resolve) => this.queue.add(() => resolve()))
  }

  /** The client has a newer connection. */
  replace(end: ConnectionEnd = END.replace): void {
    const { link } = this
    if (link === null) return
    void this.detach(link)
    link.close(end)
  }

  /** The client is in another process, and has the messages up to `has`: what is said to it from now on goes there. */
  async handOver(has: number, forward: (json: string) => void): Promise<SessionSnapshot> {
    this.inbox.drop() // what is not handled yet is sent again, there
    this.replace(END.handOver)
    await Promise.race([this.queue.empty(), new Promise((resolve) => setTimeout(resolve, HANDLER_TIMEOUT_MS))])
    return this.leave(has, forward)
  }

  /** What is left of it for the process that its client comes to, as it is now. */
  leave(has: number, forward: (json: string) => void): SessionSnapshot {
    const { handled } = this.inbox
    const { before } = this.start
    return { handled, errors: this.#errors.splice(0), before, ...this.outbox.handOver(has, forward) }
  }

  /** The client was in another process until now. */
  takeOver(snapshot: SessionSnapshot): void {
    this.#errors = [...snapshot.errors]
    this.outbox.takeOver(snapshot)
  }

  /** Ends the connection; what came over it and waits is not handled. */
  refuse(end: ConnectionEnd, reason?: string): void {
    this.link?.close(end, reason)
    this.inbox.drop()
  }

  /** The client can take messages again. */
  onDrain(): void {
    this.outbox.catchUp()
    this.memberships.onDrain()
  }

  receive({ number, data, isRedelivered }: Omit<ClientMessage, 'size' | 'error'>, text: string): void {
    const error = checkMessage(data, text.includes('\\u'), this)
    const message = { number, data: error === null ? data : null, isRedelivered, size: text.length, error }
    // It came before: its receipt was lost, or is on its way.
    if (!this.inbox.receive(message)) this.deps.acks.add(this)
  }

  /** Settles when all that came was handled, and said to be. */
  async settled(): Promise<void> {
    await this.queue.empty()
    await this.deps.acks.flush(this)
  }

  /** Saves how far messages were handled before it acknowledges them: no other process handles them again. */
  acknowledge(): void | Promise<void> {
    const { handled } = this.inbox
    if (!this.isSdk || handled === 0) return
    this.#acknowledged = handled
    const saved = this.deps.engine.sequence.set(this.start.id, handled)
    const sendAck = (): void => this.link?.sendFrame({ o: 'a', i: handled })
    if (!(saved instanceof Promise)) return sendAck()
    return saved.then(sendAck, (error: unknown) => {
      this.deps.log.warn('receipts wait for the engine', errorFields(error))
      setTimeout(() => this.deps.acks.add(this), ACK_RETRY_MS)
    })
  }

  async #open(link: ClientLink): Promise<void> {
    try {
      const data = await this.socket.open?.(this.peer)
      if (data !== undefined) this.peer.data = data as never
    } catch (thrown) {
      const error = toHandlerError(thrown, this)
      return this.refuse(error.status === 500 ? END.setupFailed : toRefusal(error))
    }
    this.#isOpened = true
    if (this.link === link) this.memberships.reportUnjoined()
  }

  /** Runs `close`, but only after `open` has finished, which prepares what `close` needs. */
  #close(): unknown {
    const wasLetIn = this.#isOpened
    this.#isOpened = false
    return wasLetIn ? this.socket.close?.(this.peer) : undefined
  }

  handle(message: ClientMessage): void | Promise<void> {
    this.peer.messageId = `${this.start.id}-${message.number}`
    this.peer.redelivered = message.isRedelivered || this.isDoubtful
    const error = runMessageHandler(message, this)
    if (error instanceof Promise) return error.then((later) => this.#sendError(message, later))
    this.#sendError(message, error)
  }

  onHandled(): void {
    if (!this.isSdk) return
    const shouldFlush = this.inbox.handled - this.#acknowledged >= this.deps.limits.ackEvery
    if (shouldFlush) void this.deps.acks.flush(this)
    else this.deps.acks.add(this)
  }

  #sendError({ number }: ClientMessage, error: ApiError | null): void {
    if (error === null) return
    const { error: body } = toEnvelope(error)
    if (!this.isSdk) return void this.link?.send(JSON.stringify({ error: body }))
    const frame: ServerFrame = { o: 'e', i: number, status: error.status, error: body }
    if (this.link !== null) this.link.sendFrame(frame)
    else if (this.#errors.length < MAX_ERRORS) this.#errors.push(frame)
  }
}
