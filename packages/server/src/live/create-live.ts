import type { AnySocketDefinition } from '../define/socket.ts'
import type { StoreTransaction, Where } from '../define/store.ts'
import type { Engine, EnginePosition, EngineSubscription } from '../engine/engine.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SessionPeer } from '../socket/peer.ts'
import { LiveGroups, type LiveSettings } from './live-groups.ts'
import { MAX_SUBSCRIPTIONS, parseLiveRequest } from './live-request.ts'
import type { LiveStats } from './live-stats.ts'
import type { LiveHost } from './open-source.ts'
import { Subscription } from './subscription.ts'

/** The live data of an app, in one process. */
export interface Live {
  /** The handlers of the socket for live data. */
  readonly socket: AnySocketDefinition
  readonly settings: LiveSettings
  /** Announces a change of the data with these tags, to all processes. In a transaction, does so after the commit. */
  touch(this: void, ...tags: string[]): Promise<void>
  /** Evaluates the access of these users again. Other changes that are not known apply within `checkMs`. */
  recheck(this: void, userIds: readonly string[]): void
  /** Returns the current state, for development tools and metrics. */
  inspect(this: void): LiveInspection
  close(this: void): void
}

/** The state of live data in a process. */
export interface LiveInspection {
  /** The lists and rows with subscriptions, oldest first. */
  readonly lists: readonly InspectedLiveList[]
  readonly subscriptions: number
  readonly stats: Readonly<LiveStats>
}

/** A list or row with live subscriptions. Subscriptions with the same data share it. */
export interface InspectedLiveList {
  readonly id: string
  readonly route: string
  /** The path and query of the first subscription. */
  readonly target: string
  /** The rows that the access rule selects, or null for a route with tags, which runs for each subscription. */
  readonly where: Where | null
  /** The number of subscriptions. */
  readonly members: number
  /** The number of changes that were sent, plus one. */
  readonly version: number
  /** The number of times that the data was read. */
  readonly reads: number
  /** The resource or tag whose change has affected the data last, and its time in ms. Null before the first change. */
  readonly woken: { readonly by: string; readonly at: number } | null
}

interface LiveTools {
  readonly engine: Engine
  readonly log: Log
  readonly metrics: Metrics | null
  /** Returns the parts of the app, which are created later. */
  host(): LiveHost
}

/** The engine's stream of changed tags. */
const STREAM = 'sdk:live'

/** The share of `checkMs` after which the first clients are checked, so that not all are checked at once. */
const CHECK_JITTER = 1 / 3

/** Creates the live data of an app. */
export function createLive({ engine, log, metrics, host }: LiveTools): Live {
  const groups = new LiveGroups(host)
  if (metrics !== null) showGroups(metrics, groups)
  const follow = createFollower(engine, log, groups)
  const connections = new Set<LiveConnection>()
  const connect = (peer: SessionPeer): LiveConnection => {
    const known = peer.data as LiveConnection | undefined
    if (known?.groups === groups) return known
    // The app was replaced while the client was connected.
    const connection = new LiveConnection(groups, peer)
    connections.add(connection)
    return ((peer.data as LiveConnection) = connection)
  }
  return {
    settings: groups.settings,
    socket: {
      keepsRequest: true,
      open(peer) {
        follow.start()
        connect(peer as unknown as SessionPeer)
      },
      message: (peer, message) => connect(peer as unknown as SessionPeer).receive(message),
      drain: (peer) => connect(peer as unknown as SessionPeer).resume(),
      close(peer) {
        const connection = connect(peer as unknown as SessionPeer)
        connections.delete(connection)
        connection.close()
      },
    },
    async touch(...tags) {
      const announce = () => engine.publish(STREAM, JSON.stringify(tags))
      const transaction = findTransaction(host())
      // Before the commit, the routes would read the previous data.
      if (transaction === null) await announce()
      else
        transaction.afterCommit(() => {
          announce().catch((error: unknown) => log.warn('a change of tags was not announced', errorFields(error)))
        })
    },
    recheck(userIds) {
      for (const connection of connections) if (userIds.includes(connection.userId)) void connection.check()
    },
    inspect: () => inspectGroups(groups),
    close() {
      follow.stop()
      groups.close()
    },
  }
}

function showGroups(metrics: Metrics, groups: LiveGroups): void {
  const { stats } = groups
  const show = (name: string, help: string, read: () => number): void => {
    metrics.show({ name, help, read, type: name.endsWith('_total') ? 'counter' : 'gauge' })
  }
  show('live_subscriptions', 'Open live subscriptions.', () => inspectGroups(groups).subscriptions)
  show('live_lists', 'Different lists and rows with live subscriptions.', () => groups.all.size)
  show('live_held_bytes', 'Total size of the rows of live lists in memory.', () => stats.heldBytes)
  show('live_ticks_total', 'Ticks that sent changes to live subscriptions.', () => stats.ticks)
  show('live_tick_seconds_total', 'Total duration of these ticks, in seconds.', () => stats.tickMs / 1_000)
  show('live_reads_total', 'Lists that were read again after a change.', () => stats.reads)
  show('live_advances_total', 'Lists that were changed in memory.', () => stats.advances)
}

function inspectGroups({ all, stats }: LiveGroups): LiveInspection {
  const lists = Array.from(all.values(), ({ options, members, version, reads, woken }) => {
    const { id, route, target, source } = options
    return { id, route, target, where: source.where, members: members.size, version, reads, woken }
  })
  return { lists, stats, subscriptions: lists.reduce((sum, { members }) => sum + members, 0) }
}

/** The subscriptions of a connection. */
class LiveConnection {
  readonly groups: LiveGroups
  readonly #peer: SessionPeer
  readonly #subscriptions = new Map<number, Subscription>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(groups: LiveGroups, peer: SessionPeer) {
    this.groups = groups
    this.#peer = peer
  }

  get userId(): string {
    return this.#peer.auth?.session.userId ?? ''
  }

  receive(message: unknown): void {
    const request = parseLiveRequest(message)
    if ('end' in request) return this.#end(request.end)
    if ('sync' in request) {
      for (const sub of request.sync) {
        const known = this.#subscriptions.get(sub)
        if (known === undefined) this.#peer.sendJson(`{"synced":[${sub}],"v":0}`)
        else void known.sync()
      }
      return
    }
    this.#end(request.sub)
    for (const [sub, { isEnded }] of this.#subscriptions) if (isEnded) this.#subscriptions.delete(sub)
    const subscription = new Subscription(this.groups, this.#peer, request)
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      return subscription.end(
        httpError('TOO_MANY_REQUESTS', `a connection can have at most ${MAX_SUBSCRIPTIONS} live subscriptions`),
      )
    this.#subscriptions.set(request.sub, subscription)
    this.#timer ??= this.#checkLater()
    void subscription.check()
  }

  /** Sends the current data to a client that was too slow. */
  resume(): void {
    for (const subscription of this.#subscriptions.values()) subscription.resume()
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const subscription of this.#subscriptions.values()) subscription.end()
    this.#subscriptions.clear()
  }

  #end(sub: number): void {
    this.#subscriptions.get(sub)?.end()
    this.#subscriptions.delete(sub)
  }

  async check(): Promise<void> {
    await Promise.all(Array.from(this.#subscriptions.values(), (subscription) => subscription.check()))
  }

  /** Checks the access of the client again, since not all data that it depends on is known. */
  #checkLater(): ReturnType<typeof setTimeout> {
    const ms = this.groups.settings.checkMs * (1 - Math.random() * CHECK_JITTER)
    const check = async (): Promise<void> => {
      await this.check()
      if (this.#timer !== null) this.#timer = this.#checkLater()
    }
    return unref(setTimeout(() => void check(), ms))
  }
}

/** Returns the transaction that the caller is in, or null. */
function findTransaction({ endpoints }: LiveHost): StoreTransaction | null {
  for (const { resource } of endpoints) {
    const found = resource?.resource.store.currentTransaction?.() ?? null
    if (found !== null) return found
  }
  return null
}

/** Creates a follower of the changed tags of all processes. */
function createFollower(engine: Engine, log: Log, groups: LiveGroups) {
  let subscribed: Promise<EngineSubscription> | undefined
  let last: EnginePosition | undefined
  // Changes before the start may have been missed.
  const onStart = ({ from }: EngineSubscription): void => {
    last ??= from
    groups.touch(null)
  }
  return {
    /** Subscribes to the tags. If the engine is unavailable, the next call tries it again. */
    start(): void {
      if (subscribed !== undefined) return
      subscribed = engine.subscribe(STREAM, ({ epoch, offset, data }) => {
        const isNext = last === undefined || (last.epoch === epoch && last.offset === offset - 1)
        last = { epoch, offset }
        groups.touch(isNext ? (JSON.parse(data) as string[]) : null)
      })
      subscribed.then(onStart, (error: unknown) => {
        subscribed = undefined
        log.warn('changes of tags arrive late because the engine is unavailable', errorFields(error))
      })
    },
    stop(): void {
      subscribed?.then(
        ({ end }) => end(),
        () => {}, // the error is already logged
      )
    },
  }
}
