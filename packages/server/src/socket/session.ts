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
import {
  checkMessage,
  runMessageHandler,
  toHandlerError,
  toMessageBounds,
  toMessageJson,
} from './run-message-handler.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { JsonBounds } from '../schema/json-bounds.ts'
import { WorkQueue } from './work-queue.ts'

/** The initial state of a session. */
export interface SessionStart extends InboxStart {
  /** The public id. */
  readonly id: string
  /** The secret with which the client can resume the session. Empty if the session cannot be resumed. */
  readonly secret: string
  /** The user's id, or null if the client is not signed in. */
  readonly owner: string | null
  readonly isSdk: boolean
  readonly path: string
  readonly log: Log
  /** The number of messages that other processes sent to the client. */
  readonly sent: number
  /** The process that the client was previously connected to. Empty if the session started in this one. */
  readonly from: string
  /** Whether the session's state is complete. False if it could not be fetched from the previous process. */
  readonly isWhole: boolean
  /** The previous processes, which may still have messages for the client. */
  readonly before: readonly string[]
}

/** The client's receive state: the number of the last message that it received, and its positions in rooms. */
export interface ClientState {
  readonly upTo: number
  readonly positions: Positions
}

/** The maximum number of errors kept for a disconnected client. */
const MAX_ERRORS = 32

/** The delay before an ack is retried after an engine failure, in ms. */
const ACK_RETRY_MS = 1_000

/** The maximum time to wait for a running handler before a handover, in ms. */
const HANDLER_TIMEOUT_MS = 500

/** The handlers of a session before its first connection. */
const NO_HANDLERS: AnySocketDefinition = {}

/** The state of one client in one process. It outlives the connection for a while. */
export class Session implements InboxOwner, RoomMember {
  readonly start: SessionStart
  readonly deps: SessionDependencies
  readonly peer: SessionPeer
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly memberships: Memberships
  link: ClientLink | null = null
  /** The socket's handlers, which `use` replaces with each new connection and when the app is replaced. */
  socket: AnySocketDefinition = NO_HANDLERS
  /** The time of the last disconnect. */
  disconnectedAt = 0
  /** Whether the client has sent a frame to this process, which confirms that it uses this session. */
  hasReceivedFrame = false
  /** The standstill count when the client was last confirmed to be connected to this process. */
  #knownStandstills: number
  /** The queue that runs the session's handlers one at a time. */
  readonly queue: WorkQueue
  #errors: ServerFrame[] = []
  /** Whether `open` has finished and `close` has not run since. */
  #isOpened = false
  #acknowledged: number
  /** The limits for messages from the client, set when the first message arrives. */
  #bounds: JsonBounds | null = null

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

  /**
   * Whether this process was suspended after the client was last confirmed to be connected to it. If so, another
   * process may have handled the client's messages.
   */
  get isDoubtful(): boolean {
    return this.#knownStandstills !== this.deps.standstills.count()
  }

  /** Records that the client replied to a ping that was sent at this standstill count. */
  onAnswer(standstills: number): void {
    this.#knownStandstills = standstills
  }

  get isSdk(): boolean {
    return this.start.isSdk
  }

  /** Serializes a message to the client, using the socket's schema. */
  toJson(message: unknown): string {
    return toMessageJson(this.socket.send, message)
  }

  /** Attaches a new connection and sends the messages that the client has missed. */
  attach(
    link: ClientLink,
    { socket, auth, query, incoming }: Pick<AcceptedClient, 'socket' | 'auth' | 'query' | 'incoming'>,
    has: ClientState,
  ): void {
    const handlers = this.deps.handlersOf({ path: this.start.path, socket })
    this.link = link
    if (handlers === undefined) return this.refuse(END.removeSocket)
    this.use(handlers)
    this.peer.auth = auth
    this.peer.query = query
    this.peer.incoming = incoming
    if (this.inbox.isPaused) link.pause()
    for (const frame of this.#errors.splice(0)) link.sendFrame(frame)
    this.outbox.attach(has.upTo)
    this.memberships.attach(has.positions)
    this.queue.add(() => this.#open(link))
  }

  /** Switches to these handlers, starting with the next message. */
  use(socket: AnySocketDefinition): void {
    this.socket = socket
    this.#bounds = null
  }

  /** Detaches a closed connection. Resolves when the close handler has run. */
  detach(link: ClientLink): Promise<void> {
    if (this.link !== link) return Promise.resolve()
    this.link = null
    this.disconnectedAt = this.deps.now()
    this.memberships.detach()
    this.queue.add(() => this.#close())
    return new Promise((resolve) => this.queue.add(() => resolve()))
  }

  /** Closes the current connection, because the client has a newer one. */
  replace(end: ConnectionEnd = END.replace): void {
    const { link } = this
    if (link === null) return
    void this.detach(link)
    link.close(end)
  }

  /**
   * Hands the session over to another process. The client has received all messages up to number `has`. Messages that
   * are sent after the handover are passed to `forward`.
   */
  async handOver(has: number, forward: (json: string) => void): Promise<SessionSnapshot> {
    this.inbox.drop() // the client resends unhandled messages to the other process
    this.replace(END.handOver)
    await Promise.race([this.queue.empty(), new Promise((resolve) => setTimeout(resolve, HANDLER_TIMEOUT_MS))])
    return this.leave(has, forward)
  }

  /** Returns the session's state, for the process that the client connects to next. */
  leave(has: number, forward: (json: string) => void): SessionSnapshot {
    const { handled } = this.inbox
    const { before } = this.start
    return { handled, errors: this.#errors.splice(0), before, ...this.outbox.handOver(has, forward) }
  }

  /** Restores the state that another process handed over. */
  takeOver(snapshot: SessionSnapshot): void {
    this.#errors = [...snapshot.errors]
    this.outbox.takeOver(snapshot)
  }

  /** Ends the connection and drops its queued messages. */
  refuse(end: ConnectionEnd, reason?: string): void {
    this.link?.close(end, reason)
    this.inbox.drop()
  }

  /** Resumes sending after the connection's buffer has drained. */
  onDrain(): void {
    this.outbox.catchUp()
    this.memberships.onDrain()
    this.socket.drain?.(this.peer)
  }

  receive({ number, data, isRedelivered }: Omit<ClientMessage, 'size' | 'error'>, text: string): void {
    this.#bounds ??= toMessageBounds(this.socket, this.deps.limits)
    const error = checkMessage(data, text.includes('\\u'), this.#bounds)
    const message = { number, data: error === null ? data : null, isRedelivered, size: text.length, error }
    // A duplicate is acknowledged again, because its ack was lost or is still in transit.
    if (!this.inbox.receive(message)) this.deps.acks.add(this)
  }

  /** Resolves when all received messages have been handled and acknowledged. */
  async settled(): Promise<void> {
    await this.queue.empty()
    await this.deps.acks.flush(this)
  }

  /** Acknowledges the last handled message. Its number is stored first, so that no other process handles it again. */
  acknowledge(): void | Promise<void> {
    const { handled } = this.inbox
    if (!this.isSdk || handled === 0) return
    this.#acknowledged = handled
    const saved = this.deps.engine.sequence.set(this.start.id, handled)
    const sendAck = (): void => this.link?.sendFrame({ o: 'a', i: handled })
    if (!(saved instanceof Promise)) return sendAck()
    return saved.then(sendAck, (error: unknown) => {
      this.deps.log.warn('acks are delayed because the engine is unavailable', errorFields(error))
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

  /** Runs `close` only if `open` has finished, because `open` prepares the state that `close` needs. */
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
