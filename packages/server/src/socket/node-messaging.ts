import type { ServerFrame } from '@sdk/protocol'
import type { EngineSubscription } from '../engine/engine.ts'
import { errorFields } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SessionDependencies } from './session-dependencies.ts'

/** A request for a session, from the process that the session's client has connected to. */
export interface SessionRequest {
  /** The session's public id. Its secret is not sent to other processes. */
  readonly id: string
  /** The number of the last message that the client received. */
  readonly has: number
  /** Whether the request was redirected by a process that had already handed the session over. */
  readonly isFollowed?: true
}

/** The state of a session that is handed over to another process. */
export interface SessionSnapshot {
  /** The number of the last message from the client that was handled. */
  readonly handled: number
  /** The number of the last message to the client. */
  readonly last: number
  /** The messages up to `last` that are still buffered and that the client has not received. */
  readonly texts: readonly string[]
  /** Errors that have not been sent to the client yet. */
  readonly errors: readonly ServerFrame[]
  /** The processes that held the session before, most recent first. They may still have messages for the client. */
  readonly before: readonly string[]
}

/** The reply to a `SessionRequest`: the session, the process that it moved to, or null if the session is unknown. */
export type SessionReply = SessionSnapshot | { readonly to: string } | null

interface NodeMessengerOptions extends Pick<SessionDependencies, 'engine' | 'ids' | 'log'> {
  /** Handles another process's request for a session. Never rejects. */
  onSessionRequest(by: string, wanted: SessionRequest): Promise<SessionReply>
  /** Handles a message to a client, forwarded by a process that previously held the client's session. */
  onClientMessage(id: string, json: string): void
  /** Called when a session that this process handed over has moved again. */
  onSessionMoved(id: string, to: string): void
}

/** A message between processes. */
type NodeMessage =
  | { readonly o: 'ask'; readonly number: number; readonly by: string; readonly wanted: SessionRequest }
  | { readonly o: 'answer'; readonly number: number; readonly by: string; readonly answer: SessionReply }
  | { readonly o: 'message'; readonly id: string; readonly json: string }
  | { readonly o: 'moved'; readonly id: string; readonly to: string }

/**
 * The tick interval, in ms. All timeouts are counted in ticks. In a busy process, ticks are delayed, so a reply that
 * has arrived but has not been read yet does not time out.
 */
const TICK_MS = 100
/** Reply timeouts, in ticks: for a process that sends no replies at all, and for one that replies to other requests. */
const REPLY_TIMEOUT_TICKS = 30
const ALIVE_REPLY_TIMEOUT_TICKS = 80
/**
 * The interval between liveness checks, in ticks, and the number of consecutive failures after which a process is
 * considered dead.
 */
const CHECK_EVERY_TICKS = 4
const MAX_MISSED_CHECKS = 2
/** How long to send no requests to a dead process, in ticks, so that clients do not each wait for a timeout. */
const UNREACHABLE_TICKS = 100
/** The maximum number of pending requests. */
const MAX_PENDING_REQUESTS = 10_000

interface PendingRequest {
  readonly node: string
  readonly at: number
  isSent: boolean
  settle(answer: SessionReply): void
}

/** A messenger between processes that share an engine. Each process subscribes to its own stream. */
export class NodeMessenger {
  readonly #options: NodeMessengerOptions
  /** Requests that are waiting for a reply, oldest first. */
  readonly #pending = new Map<number, PendingRequest>()
  /** The tick of the last reply from each process. */
  readonly #lastReply = new Map<string, number>()
  /** The tick until which each unreachable process receives no requests. */
  readonly #unreachable = new Map<string, number>()
  /** The number of consecutive failed liveness checks for each process. */
  readonly #missedChecks = new Map<string, number>()
  readonly #answering = new Set<Promise<void>>()
  #count = 0
  #ticks = 0
  #clock: ReturnType<typeof setInterval> | null = null
  #subscription: Promise<EngineSubscription> | null = null

  constructor(options: NodeMessengerOptions) {
    this.#options = options
  }

  /** Subscribes to requests from other processes. Resolves when the subscription is active. */
  open(): Promise<unknown> {
    return (this.#subscription ??= this.#subscribe())
  }

  /** Requests a session from a process. Resolves with null if the process does not have it, or after a timeout. */
  requestSession(node: string, wanted: SessionRequest): Promise<SessionReply> {
    if (this.#unreachable.has(node) || this.#pending.size >= MAX_PENDING_REQUESTS) return Promise.resolve(null)
    const number = (this.#count += 1)
    return new Promise((resolve) => {
      const settle = (answer: SessionReply): void => {
        this.#pending.delete(number)
        resolve(answer)
      }
      const request: PendingRequest = { node, at: this.#ticks, isSent: false, settle }
      this.#pending.set(number, request)
      this.#clock ??= unref(setInterval(() => this.#tick(), TICK_MS))
      this.open()
        .then(() => this.#publish(node, { o: 'ask', number, by: this.#options.ids.node, wanted }))
        .then(
          () => (request.isSent = true),
          () => settle(null),
        )
    })
  }

  /** Sends a message to a process. Never rejects: if a reply is lost, the other process reports a gap to the client. */
  async send(node: string, message: NodeMessage): Promise<void> {
    try {
      await this.#publish(node, message)
    } catch (error) {
      this.#options.log.warn('could not send session message to another process', errorFields(error))
    }
  }

  /** Stops accepting requests. Resolves when all received requests have been replied to. */
  async close(): Promise<void> {
    void this.#subscription?.then(({ end }) => end()).catch(() => undefined) // nothing to end if subscribing failed
    for (const { settle } of this.#pending.values()) settle(null)
    this.#stopClock()
    await Promise.all(this.#answering)
  }

  #tick(): void {
    this.#ticks += 1
    if (this.#ticks % CHECK_EVERY_TICKS === 0) this.#checkNodes()
    for (const question of this.#pending.values()) {
      const { node, at, isSent, settle } = question
      if (this.#ticks - at < REPLY_TIMEOUT_TICKS) break
      const isAlive = this.#ticks - (this.#lastReply.get(node) ?? -REPLY_TIMEOUT_TICKS) < REPLY_TIMEOUT_TICKS
      if (isAlive && this.#ticks - at < ALIVE_REPLY_TIMEOUT_TICKS) continue
      if (isSent && !isAlive) this.#unreachable.set(node, this.#ticks + UNREACHABLE_TICKS)
      settle(null)
    }
    for (const [node, until] of this.#unreachable) if (until <= this.#ticks) this.#unreachable.delete(node)
    if (this.#pending.size + this.#unreachable.size === 0) this.#stopClock()
  }

  /** Checks whether the processes with pending requests are alive, so that clients do not wait for a killed process. */
  #checkNodes(): void {
    const { names } = this.#options.engine
    if (names === undefined) return
    for (const node of new Set(Array.from(this.#pending.values(), (question) => question.node))) {
      names.isClaimed(node).then(
        (isClaimed) => this.#onChecked(node, isClaimed),
        () => undefined, // the result is unknown; the next check tries again
      )
    }
  }

  #onChecked(node: string, isClaimed: boolean): void {
    // The reply may have arrived before the check's result: a process without pending requests counts as alive.
    const owed = [...this.#pending.values()].filter((question) => question.node === node)
    const missed = isClaimed || owed.length === 0 ? 0 : (this.#missedChecks.get(node) ?? 0) + 1
    if (missed > 0 && missed < MAX_MISSED_CHECKS) return void this.#missedChecks.set(node, missed)
    this.#missedChecks.delete(node)
    if (missed === 0) return
    this.#unreachable.set(node, this.#ticks + UNREACHABLE_TICKS)
    for (const { settle } of owed) settle(null)
  }

  #stopClock(): void {
    if (this.#clock !== null) clearInterval(this.#clock)
    this.#clock = null
    this.#lastReply.clear()
    this.#missedChecks.clear()
  }

  async #subscribe(): Promise<EngineSubscription> {
    const { engine, ids } = this.#options
    engine.names?.claim(ids.node)
    try {
      return await engine.subscribe(await ids.streamOf(ids.node), ({ data }) =>
        this.#onMessage(JSON.parse(data) as NodeMessage),
      )
    } catch (error) {
      this.#subscription = null // the next call tries again
      throw error
    }
  }

  #onMessage(message: NodeMessage): void {
    if (message.o === 'ask') this.#onRequest(message)
    else if (message.o === 'message') this.#options.onClientMessage(message.id, message.json)
    else if (message.o === 'moved') this.#options.onSessionMoved(message.id, message.to)
    else {
      if (this.#clock !== null) this.#lastReply.set(message.by, this.#ticks)
      this.#unreachable.delete(message.by)
      this.#pending.get(message.number)?.settle(message.answer)
    }
  }

  #onRequest(message: Extract<NodeMessage, { o: 'ask' }>): void {
    const answering = this.#reply(message).finally(() => this.#answering.delete(answering))
    this.#answering.add(answering)
  }

  async #reply({ by, number, wanted }: Extract<NodeMessage, { o: 'ask' }>): Promise<void> {
    const answer = await this.#options.onSessionRequest(by, wanted)
    await this.send(by, { o: 'answer', number, by: this.#options.ids.node, answer })
  }

  async #publish(node: string, message: NodeMessage): Promise<void> {
    const { engine, ids } = this.#options
    await engine.publish(await ids.streamOf(node), JSON.stringify(message))
  }
}
