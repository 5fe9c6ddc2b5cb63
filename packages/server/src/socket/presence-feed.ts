import type { Engine, EngineMember, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** Hears who is in a room. */
export type PresenceListener = (members: readonly EngineMember[]) => void

/** Rooms are looked at so often, in ms: those of a process that died are gone without a word, when its lease has ended. */
const REFRESH_INTERVAL_MS = 15_000

/** So many at once: an engine may ask for them together, and others are not kept waiting. */
const REFRESH_BATCH = 100

/** Between two looks at least, in ms: many may come at once. */
const MIN_REFRESH_DELAY_MS = 100

/** Tells who is in rooms, in all processes, whenever that has changed. */
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

  /** Tells who is in a room, soon and after each change; returns the way to end it. */
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

  /** Does anybody watch a room here? Then others may, in other processes; else those find out when they look. */
  has(room: string): boolean {
    return this.#rooms.has(room)
  }

  /** Somebody came to a room here, or left it: whoever watches it looks, in every process. */
  notifyChanged(room: string): void {
    // The others will look by themselves.
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
  /** What each was told last. */
  readonly listeners = new Map<PresenceListener, string>()
  readonly #name: string
  readonly #engine: Engine
  readonly #log: Log
  readonly #subscription: Promise<EngineSubscription | null>
  #next: ReturnType<typeof setTimeout> | null = null
  #refreshedAt = -MIN_REFRESH_DELAY_MS
  #refreshes = 0
  /** The look that was told last: an earlier one may answer later. */
  #lastNotified = 0
  #isEnded = false

  constructor(name: string, engine: Engine, log: Log) {
    this.#name = name
    this.#engine = engine
    this.#log = log
    this.#subscription = engine
      .subscribe(presenceStream(name), () => this.scheduleRefresh())
      .catch((error: unknown) => this.#failed(error))
    // Whatever changed before it was heard.
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

  /** Looks now, and tells what has changed; never rejects. */
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
    if (!this.#isEnded) this.#log.warn('who is in a room is not known', { room: this.#name, ...errorFields(error) })
    return null
  }
}

/** Beside the messages of the room. */
function presenceStream(room: string): string {
  return `sdk presence ${room}`
}
