import type { Engine, EngineMember, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** A function that receives the members of a room. */
export type PresenceListener = (members: readonly EngineMember[]) => void

/**
 * The refresh interval for watched rooms, in ms. Rooms are refreshed because the members of a dead process expire with
 * its lease, without an event.
 */
const REFRESH_INTERVAL_MS = 15_000

/** The number of rooms to refresh at a time. An engine can batch this many without delaying other queries for long. */
const REFRESH_BATCH = 100

/** The minimum time between two refreshes of a room, in ms. It limits the load when many clients join at once. */
const MIN_REFRESH_DELAY_MS = 100

/** A feed that notifies listeners when the members of a room change, in any process. */
export class PresenceFeed {
  readonly #engine: Engine
  readonly #log: Log
  readonly #rooms = new Map<string, WatchedRoom>()
  #clock: ReturnType<typeof setInterval> | null = null
  #isRefreshing = false

  constructor(engine: Engine, log: Log) {
    this.#engine = engine
    this.#log = log
  }

  /** Passes a room's members to the listener, initially and after each change. Returns a function to unsubscribe. */
  watch(room: string, listener: PresenceListener): () => void {
    const watched = this.#rooms.get(room) ?? new WatchedRoom(room, this.#engine, this.#log)
    this.#rooms.set(room, watched)
    this.#clock ??= unref(setInterval(() => void this.#refreshAll(), REFRESH_INTERVAL_MS))
    watched.listeners.set(listener, '')
    watched.scheduleRefresh()
    return () => {
      if (!watched.listeners.delete(listener) || watched.listeners.size > 0) return
      this.#rooms.delete(room)
      watched.end()
      if (this.#rooms.size === 0) this.#stopClock()
    }
  }

  /**
   * Returns whether this process watches a room. If not, its own changes are not published, and other processes detect
   * them at their next refresh.
   */
  has(room: string): boolean {
    return this.#rooms.has(room)
  }

  /** Notifies all processes watching a room that its members have changed. */
  notifyChanged(room: string): void {
    // If publishing fails, other processes detect the change at their next refresh.
    this.#engine.publish(presenceStream(room), '0').catch(() => this.#rooms.get(room)?.scheduleRefresh())
  }

  close(): void {
    for (const watched of this.#rooms.values()) watched.end()
    this.#rooms.clear()
    this.#stopClock()
  }

  async #refreshAll(): Promise<void> {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const rooms = [...this.#rooms.values()]
    while (rooms.length > 0) await Promise.all(rooms.splice(0, REFRESH_BATCH).map((room) => room.refresh()))
    this.#isRefreshing = false
  }

  #stopClock(): void {
    if (this.#clock !== null) clearInterval(this.#clock)
    this.#clock = null
  }
}

class WatchedRoom {
  /** The listeners, each with the last list that it received, as JSON. */
  readonly listeners = new Map<PresenceListener, string>()
  readonly #name: string
  readonly #engine: Engine
  readonly #log: Log
  readonly #subscription: Promise<EngineSubscription | null>
  #next: ReturnType<typeof setTimeout> | null = null
  #refreshedAt = -MIN_REFRESH_DELAY_MS
  #refreshes = 0
  /** The last refresh whose result was delivered. An earlier refresh may finish after it. */
  #lastNotified = 0
  #isEnded = false

  constructor(name: string, engine: Engine, log: Log) {
    this.#name = name
    this.#engine = engine
    this.#log = log
    this.#subscription = engine
      .subscribe(presenceStream(name), () => this.scheduleRefresh())
      .catch((error: unknown) => this.#failed(error))
    // Members may have changed before the subscription was active.
    void this.#subscription.then(() => this.scheduleRefresh())
  }

  scheduleRefresh(): void {
    if (this.#isEnded || this.#next !== null) return
    const wait = Math.max(0, this.#refreshedAt + MIN_REFRESH_DELAY_MS - performance.now())
    this.#next = unref(
      setTimeout(() => {
        this.#next = null
        void this.refresh()
      }, wait),
    )
  }

  end(): void {
    this.#isEnded = true
    if (this.#next !== null) clearTimeout(this.#next)
    void this.#subscription.then((subscription) => subscription?.end())
  }

  /** Reads the members immediately and notifies the listeners of changes. Never rejects. */
  async refresh(): Promise<void> {
    this.#refreshedAt = performance.now()
    const look = (this.#refreshes += 1)
    try {
      const members = await this.#engine.presence.list(this.#name)
      if (look < this.#lastNotified) return
      this.#lastNotified = look
      const text = JSON.stringify(members)
      for (const [listener, told] of this.listeners) {
        if (told === text) continue
        this.listeners.set(listener, text)
        listener(members)
      }
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): null {
    if (!this.#isEnded) this.#log.warn('could not read room presence', { room: this.#name, ...errorFields(error) })
    return null
  }
}

/** Returns the name of the stream for changes to a room's members, which is separate from the room's messages. */
function presenceStream(room: string): string {
  return `sdk presence ${room}`
}
