import type { ServerFrame } from '@sdk/protocol'
import type { EngineSubscription } from '../engine/engine.ts'
import { errorFields } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SessionDependencies } from './session-dependencies.ts'

/** Which session a process wants that its client came to, and what the client has of it. */
export interface SessionRequest {
  /** What everybody may know of it: its client's secret stays with its client. */
  readonly id: string
  /** The number of the last message that it got. */
  readonly has: number
  /** Was it sent on by a process that gave it away? */
  readonly isFollowed?: true
}

/** What a session takes along to another process. */
export interface SessionSnapshot {
  /** The number of the last message of the client that was handled. */
  readonly handled: number
  /** The number of the last message to the client. */
  readonly last: number
  /** Those up to there that the client has not got, as far as they are kept. */
  readonly texts: readonly string[]
  /** Errors that it was not told. */
  readonly errors: readonly ServerFrame[]
  /** The processes that had it before, the last one first: they may have something to say to its client still. */
  readonly before: readonly string[]
}

/** What is known of a session that was asked for: it, or where it went. */
export type SessionReply = SessionSnapshot | { readonly to: string } | null

interface NodeMessengerOptions extends Pick<SessionDependencies, 'engine' | 'ids' | 'log'> {
  /** Another process asks for a session; it never throws. */
  onSessionRequest(by: string, wanted: SessionRequest): Promise<SessionReply>
  /** A message to a client, from a process that had its session before. */
  onClientMessage(id: string, json: string): void
  /** A session that we gave away is elsewhere by now. */
  onSessionMoved(id: string, to: string): void
}

/** What processes say to each other. */
type NodeMessage =
  | { readonly o: 'ask'; readonly number: number; readonly by: string; readonly wanted: SessionRequest }
  | { readonly o: 'answer'; readonly number: number; readonly by: string; readonly answer: SessionReply }
  | { readonly o: 'message'; readonly id: string; readonly json: string }
  | { readonly o: 'moved'; readonly id: string; readonly to: string }

/**
 * Time is counted in ticks of a timer, of so many ms. A busy process ticks late, so that an answer which has come, and
 * was not read yet, is not given up.
 */
const TICK_MS = 100
/** How many ticks a process may take to answer: where nothing else is heard of it, and where it is. */
const REPLY_TIMEOUT_TICKS = 30
const ALIVE_REPLY_TIMEOUT_TICKS = 80
/** Every so many ticks we look whether a process is there. One that is missing so many times in a row is dead. */
const CHECK_EVERY_TICKS = 4
const MAX_MISSED_CHECKS = 2
/** A dead process is not asked again for so many ticks: otherwise each of its clients would wait. */
const UNREACHABLE_TICKS = 100
/** Questions that wait for their answers at most. */
const MAX_PENDING_REQUESTS = 10_000

interface PendingRequest {
  readonly node: string
  readonly at: number
  isSent: boolean
  settle(answer: SessionReply): void
}

/** The processes of an engine, to each other: each hears a stream of its own. */
export class NodeMessenger {
  readonly #options: NodeMessengerOptions
  /** The oldest come first. */
  readonly #pending = new Map<number, PendingRequest>()
  /** In which tick a process was heard last. */
  readonly #lastReply = new Map<string, number>()
  /** Until which tick a process counts as dead. */
  readonly #unreachable = new Map<string, number>()
  /** How many times in a row a process was missing. */
  readonly #missedChecks = new Map<string, number>()
  readonly #answering = new Set<Promise<void>>()
  #count = 0
  #ticks = 0
  #clock: ReturnType<typeof setInterval> | null = null
  #subscription: Promise<EngineSubscription> | null = null

  constructor(options: NodeMessengerOptions) {
    this.#options = options
  }

  /** From now on others can ask us; settles when they are heard. */
  open(): Promise<unknown> {
    return (this.#subscription ??= this.#subscribe())
  }

  /** Asks a process for a session; null where it knows nothing of it, or does not answer in time. */
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

  /** Says something to a process. What cannot be said is missed there: that process tells its client of a gap. */
  async send(node: string, message: NodeMessage): Promise<void> {
    try {
      await this.#publish(node, message)
    } catch (error) {
      this.#options.log.warn('another process was not told of a session', errorFields(error))
    }
  }

  /** Hears no more questions; settles when those that were heard are answered. */
  async close(): Promise<void> {
    void this.#subscription?.then(({ end }) => end()).catch(() => undefined) // there was nothing to end
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

  /** Looks for those who owe us an answer: clients of one that was killed wait for nothing. */
  #checkNodes(): void {
    const { names } = this.#options.engine
    if (names === undefined) return
    for (const node of new Set(Array.from(this.#pending.values(), (question) => question.node))) {
      names.isClaimed(node).then(
        (isClaimed) => this.#onChecked(node, isClaimed),
        () => undefined, // nobody knows
      )
    }
  }

  #onChecked(node: string, isClaimed: boolean): void {
    // A look may take longer than the answer: who owes none by then is there.
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
      this.#subscription = null // the next one tries again
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
