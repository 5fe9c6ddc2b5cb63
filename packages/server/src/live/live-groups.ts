import type { Store } from '../define/store.ts'
import type { RowChanges } from '../endpoint/live-source.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import { runDetached } from '../platform/async-storage.ts'
import { unref } from '../platform/unref-timer.ts'
import { createPool } from './coalesce.ts'
import { findRows } from './find-rows.ts'
import { LiveGroup, type LiveMember } from './live-group.ts'
import { LiveStats } from './live-stats.ts'
import type { LiveHost, OpenedSource } from './open-source.ts'
import { addTo, removeFrom } from './set-index.ts'

/** Settings of live data. Tests change them. */
export interface LiveSettings {
  /** Whether a change is applied to the rows in memory where this is possible, or every affected list is read again. */
  canAdvance: boolean
  /** The maximum time between two checks of a subscription's access, in ms. */
  checkMs: number
  /** The maximum total size of the rows that are kept in memory, in characters. */
  maxHeldBytes: number
}

/** The minimum time between two ticks, in ms. */
const TICK_MS = 20

/** A tick takes at most this share of the time, as a divisor. */
const TICK_SHARE = 3

/** The maximum time between the end of a tick and the next one, in ms. */
const MAX_PAUSE_MS = 1_000

/** The time after which a failed check or read is repeated, in ms. */
export const RETRY_MS = 1_000

/** The maximum number of lists per process. */
const MAX_GROUPS = 10_000

/** The maximum number of reads and checks at the same time, so that requests still find free connections. */
const CONCURRENCY = 4

/** The maximum number of changed rows that are compared with each list. If there are more, all lists are read again. */
const MAX_ROWS = 1_000

/** The number of times that changed rows are read together with rows that changed in the meantime. */
const MAX_ATTEMPTS = 3

/** The groups of a process, and the changes that they have not read yet. */
export class LiveGroups {
  readonly host: () => LiveHost
  readonly settings: LiveSettings = { canAdvance: true, checkMs: 30_000, maxHeldBytes: 64 * 1_048_576 }
  readonly stats: LiveStats = new LiveStats()
  readonly all: Map<string, LiveGroup> = new Map()
  #prefix = ''
  readonly #byStore = new Map<Store, Set<LiveGroup>>()
  readonly #byAccess = new Map<Store, Set<LiveMember>>()
  readonly #watched = new Map<Store, () => void>()
  /** The count of the last change of each store. */
  readonly #changedAt = new Map<Store, number>()
  readonly #forEach = createPool(CONCURRENCY)
  #changes = new Map<Store, Set<number> | null>()
  #touched = new Set<string>()
  #checks = new Set<LiveMember>()
  #due = new Set<LiveGroup>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #timerAt = 0
  #nextAt = 0
  #isTicking = false
  #count = 0

  constructor(host: () => LiveHost) {
    this.host = host
  }

  /** Returns the next number, to order reads and changes. */
  readonly count = (): number => (this.#count += 1)

  /** Adds a subscription to the group of its data. Returns null if the subscription is already in that group. */
  join(
    subscription: LiveMember,
    { source, route, accessStores, tags }: OpenedSource,
    target: string,
  ): Promise<void> | null {
    const key = source.isShared ? source.key : `${source.key} ${subscription.number}`
    for (const store of accessStores) this.#watch(store)
    this.#indexAccess(subscription, accessStores)
    if (subscription.group?.options.key === key) return null
    if (!this.all.has(key) && this.all.size >= MAX_GROUPS)
      throw httpError('SERVICE_UNAVAILABLE', `the server has reached its limit of ${MAX_GROUPS} live lists`)
    // Created on first use: some platforms provide no randomness before the first request.
    this.#prefix ||= crypto.randomUUID().slice(0, 8)
    const id = `${this.#prefix}-${this.count().toString(36)}`
    const group = this.all.get(key) ?? new LiveGroup({ route, target, key, id, source, tags, groups: this })
    this.all.set(key, group)
    for (const { store } of source.resources) {
      this.#watch(store)
      addTo(this.#byStore, store, group)
    }
    this.#leaveGroup(subscription)
    subscription.group = group
    return group.join(subscription)
  }

  leave(subscription: LiveMember): void {
    this.#indexAccess(subscription, new Set())
    this.#leaveGroup(subscription)
    this.#checks.delete(subscription)
  }

  /** Announces changed tags. Null stands for all tags. */
  touch(tags: readonly string[] | null): void {
    for (const { options } of this.all.values()) {
      for (const tag of options.tags) if (tags === null || tags.includes(tag)) this.#touched.add(tag)
    }
    if (this.#touched.size > 0) this.#schedule()
  }

  /** Checks a subscription again if one of these stores has changed after the given count. Returns whether it has. */
  recheck(subscription: LiveMember, stores: ReadonlySet<Store>, count: number): boolean {
    const hasChanged = [...stores].some((store) => (this.#changedAt.get(store) ?? 0) > count)
    if (hasChanged) this.#checks.add(subscription)
    if (hasChanged) this.#schedule()
    return hasChanged
  }

  /** Checks a subscription again later, because a store is not available. */
  retry(subscription: LiveMember): void {
    unref(
      setTimeout(() => {
        if (!subscription.isEnded) this.#checks.add(subscription)
        this.#schedule()
      }, RETRY_MS),
    )
  }

  /** Returns whether a read succeeds. If it fails, it is repeated later, or the group ends. Never rejects. */
  async guard(group: LiveGroup, read: Promise<void>): Promise<boolean> {
    try {
      await read
      return true
    } catch (thrown) {
      if (isOutage(thrown)) this.#readLater(group, performance.now() + RETRY_MS)
      const error = isOutage(thrown) ? null : toApiError(thrown, () => this.host().services.log)
      if (error !== null) for (const member of group.members) member.end(error)
      return false
    }
  }

  close(): void {
    for (const stop of this.#watched.values()) stop()
    this.#watched.clear()
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#nextAt = Number.POSITIVE_INFINITY
    const error = httpError('SERVICE_UNAVAILABLE', 'the server is restarting', { retryAfter: 1 })
    for (const group of this.all.values()) for (const member of group.members) member.end(error)
  }

  #watch(store: Store): void {
    if (this.#watched.has(store) || store.watch === undefined) return
    // Earlier changes were not announced.
    this.#changedAt.set(store, this.count())
    this.#watched.set(
      store,
      store.watch((ids) => this.#onChange(store, ids)),
    )
  }

  #onChange(store: Store, ids: readonly number[] | null): void {
    this.#changedAt.set(store, this.count())
    // Nothing is sent until the access is checked again.
    for (const subscription of this.#byAccess.get(store) ?? []) {
      subscription.isPaused = true
      this.#checks.add(subscription)
    }
    const known = this.#changes.get(store)
    const all = ids === null || known === null ? null : new Set([...(known ?? []), ...ids])
    this.#changes.set(store, all !== null && all.size > MAX_ROWS ? null : all)
    this.#schedule()
  }

  #schedule(at = 0): void {
    const time = Math.max(this.#nextAt, at)
    if (this.#isTicking || time === Number.POSITIVE_INFINITY) return
    if (this.#timer !== null && this.#timerAt <= time) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAt = time
    // A store may announce a change inside the transaction that made it.
    runDetached(() => {
      this.#timer = setTimeout(() => void this.#tick(), Math.max(0, time - performance.now()))
    })
  }

  async #tick(): Promise<void> {
    const start = performance.now()
    this.#timer = null
    this.#isTicking = true
    try {
      await this.#update()
    } catch (error) {
      toApiError(error, () => this.host().services.log)
    }
    const ms = performance.now() - start
    this.stats.ticks += 1
    this.stats.tickMs += ms
    this.stats.lastTickMs = ms
    this.#isTicking = false
    const pause = Math.max(TICK_MS, Math.min(TICK_SHARE * ms, ms + MAX_PAUSE_MS))
    if (this.#nextAt !== Number.POSITIVE_INFINITY) this.#nextAt = start + pause
    if (this.#changes.size + this.#touched.size + this.#checks.size > 0) this.#schedule()
    for (const group of this.#due) this.#schedule(group.dueAt)
  }

  /** Checks access, then finds the lists that the changes affect, and sends the new data. */
  async #update(): Promise<void> {
    const count = this.count()
    const [changes, touched, checks] = [this.#changes, this.#touched, this.#checks]
    this.#changes = new Map()
    this.#touched = new Set()
    this.#checks = new Set()
    await this.#forEach(checks, (subscription) => subscription.check())
    const affected = new Set([...this.#due].filter(({ dueAt }) => dueAt <= performance.now()))
    for (const group of touched.size === 0 ? [] : this.all.values()) {
      const by = [...group.options.tags].find((tag) => touched.has(tag))
      if (by === undefined) continue
      group.woken = { by, at: Date.now() }
      if (group.readAt < count) affected.add(group)
    }
    const read = await Promise.all(Array.from(changes, ([store, ids]) => this.#readRows(store, ids)))
    for (const change of read) this.#spread(change, affected)
    await this.#forEach(affected, (group) => this.#refresh(group))
  }

  /** Applies a change to each list in memory, or adds the list to those that must be read again. */
  #spread({ count, ...change }: CountedChanges, affected: Set<LiveGroup>): void {
    for (const group of this.#byStore.get(change.store) ?? []) {
      if (affected.has(group) || !group.isAffected(change, count)) continue
      const by = group.options.source.resources.find(({ store }) => store === change.store)?.name ?? ''
      group.woken = { by, at: Date.now() }
      // The data of a read during the same time may be newer than the rows.
      const isOlder = !group.isReading && group.endedAt < count
      const next = this.settings.canAdvance && isOlder ? group.view?.advance?.(change) : null
      if (!next) affected.add(group)
      else {
        this.stats.advances += 1
        group.apply(next)
      }
    }
  }

  async #refresh(group: LiveGroup): Promise<void> {
    const now = performance.now()
    if (group.dueAt > now) return this.#readLater(group, group.dueAt)
    this.#due.delete(group)
    this.stats.reads += 1
    await this.guard(group, group.refresh())
    if (!this.#due.has(group)) group.dueAt = now + group.options.source.interval
  }

  #readLater(group: LiveGroup, at: number): void {
    if (group.members.size === 0) return
    group.dueAt = at
    this.#due.add(group)
    this.#schedule(at)
  }

  /**
   * Reads the changed rows with one statement. If this fails, all lists are read again. The rows may already include a
   * later transaction, so the rows that were announced in the meantime are read with them.
   */
  async #readRows(store: Store, changed: ReadonlySet<number> | null, attempt = 1): Promise<CountedChanges> {
    const count = this.count()
    const found = changed === null || !this.#byStore.has(store) ? null : await findRows(store, changed)
    const later = this.#changes.get(store)
    if (changed === null || found === null || later === undefined || attempt === MAX_ATTEMPTS)
      return { store, rows: found, count }
    this.#changes.delete(store)
    return this.#readRows(store, later && new Set([...changed, ...later]), attempt + 1)
  }

  #indexAccess(subscription: LiveMember, stores: ReadonlySet<Store>): void {
    for (const store of subscription.accessStores) removeFrom(this.#byAccess, store, subscription)
    for (const store of stores) addTo(this.#byAccess, store, subscription)
    subscription.accessStores = stores
  }

  #leaveGroup(subscription: LiveMember): void {
    const { group } = subscription
    if (group === null || !group.members.delete(subscription) || group.members.size > 0) return
    this.all.delete(group.options.key)
    group.release()
    this.#due.delete(group)
    for (const { store } of group.options.source.resources) removeFrom(this.#byStore, store, group)
  }
}

/** Changed rows, and a number that is higher than those of all reads before the changes. */
interface CountedChanges extends RowChanges {
  readonly count: number
}
