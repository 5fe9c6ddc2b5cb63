import type { ServerFrame } from '@sdk/protocol'
import type { EngineSubscription } from '../engine/engine.ts'
import { errorFields } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SessionDependencies } from './session-dependencies.ts'

/** A request for a session, from the process that the session's client has connected to. */
export interface SessionRequest {
  /** The public id of the session; the secret is known only to its client. */
  readonly id: string
  /** The number of the last message that the client received. */
  readonly has: number
  /** Whether another process redirected the request, because it had handed the session over. */
  readonly isFollowed?: true
}

/** The state of a session that is handed over to another process. */
export interface SessionSnapshot {
  /** The number of the client's last handled message. */
  readonly handled: number
  /** The number of the last message to the client. */
  readonly last: number
  /** The messages up to `last` that the client has not received, as far as they are still buffered. */
  readonly texts: readonly string[]
  /** Errors that were not sent to the client. */
  readonly errors: readonly ServerFrame[]
  /** The processes that had the session before, latest first: they may still have messages for its client. */
  readonly before: readonly string[]
}

/** The reply to a request: the session, the process it moved to, or null if unknown. */
export type SessionReply = SessionSnapshot | { readonly to: string } | null

interface NodeMessengerOptions extends Pick<SessionDependencies, 'engine' | 'ids' | 'log'> {
  /** Handles a request of another process for a session; never rejects. */
  onSessionRequest(by: string, wanted: SessionRequest): Promise<SessionReply>
  /** Handles a message to a client, from a process that had its session before. */
  onClientMessage(id: string, json: string): void
  /** Handles the notice that a session which this process handed over has moved again. */
  onSessionMoved(id: string, to: string): void
}

/** A message between processes. */
type NodeMessage =
  | { readonly o: 'ask'; readonly number: number; readonly by: string; readonly wanted: SessionRequest }
  | { readonly o: 'answer'; readonly number: number; readonly by: string; readonly answer: SessionReply }
  | { readonly o: 'message'; readonly id: string; readonly json: string }
  | { readonly o: 'moved'; readonly id: string; readonly to: string }

/**
 * The interval of the timer whose ticks measure all timeouts. In a busy process the ticks are late, so a reply that has
 * arrived but was not read yet does not time out.
 */
const TICK_MS = 100
/** Timeouts for a reply, in ticks: of a process that sends nothing else, and of one that does. */
const REPLY_TIMEOUT_TICKS = 30
const ALIVE_REPLY_TIMEOUT_TICKS = 80
/** The interval of liveness checks, in ticks, and the consecutive failures after which a process counts as dead. */
const CHECK_EVERY_TICKS = 4
const MAX_MISSED_CHECKS = 2
/** Ticks for which a dead process gets no requests: otherwise each of its clients would have to wait. */
const UNREACHABLE_TICKS = 100
/** The maximum number of pending requests. */
const MAX_PENDING_REQUESTS = 10_000

interface PendingRequest {
  readonly node: string
  readonly at: number
  isSent: boolean
  settle(answer: SessionReply): void
}

/** Sends messages between the processes of an engine. Each process subscribes to one stream. */
export class NodeMessenger {
  readonly #options: NodeMessengerOptions
  /** The requests without a reply, oldest first. */
  readonly #pending = new Map<number, PendingRequest>()
  /** The tick of the last reply from each process. */
  readonly #lastReply = new Map<string, number>()
  /** The tick until which a process counts as dead. */
  readonly #unreachable = new Map<string, number>()
  /** The number of consecutive failed liveness checks, for each process. */
  readonly #missedChecks = new Map<string, number>()
  readonly #answering = new Set<Promise<void>>()
  #count = 0
  #ticks = 0
  #clock: ReturnType<typeof setInterval> | null = null
  #subscription: Promise<EngineSubscription> | null = null

  constructor(options: NodeMessengerOptions) {
    this.#options = options
  }

  /** Subscribes to the requests of other processes; resolves when subscribed. */
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

  /** Sends a message to a process; never rejects. If a reply is lost, the other process reports a gap to its client. */
  async send(node: string, message: NodeMessage): Promise<void> {
    try {
      await this.#publish(node, message)
    } catch (error) {
      this.#options.log.warn('could not send session message to another process', errorFields(error))
    }
  }

  /** Stops accepting requests; resolves when replies to all received requests are sent. */
  async close(): Promise<void> {
    void this.#subscription?.then(({ end }) => end()).catch(() => undefined) // it never subscribed
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
        () => undefined, // not known: the next check tries again
      )
    }
  }

  #onChecked(node: string, isClaimed: boolean): void {
    // The reply may arrive before the check's result. A process without pending requests counts as alive.
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
