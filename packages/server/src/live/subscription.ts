import { toEnvelope, type ApiError, type LiveSubscribe } from '@sdk/protocol'
import type { Store } from '../define/store.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import type { SessionPeer } from '../socket/peer.ts'
import { coalesce } from './coalesce.ts'
import type { LiveGroup, LiveMember } from './live-group.ts'
import { RETRY_MS, type LiveGroups } from './live-groups.ts'
import { toGetRequest, toTarget } from './live-request.ts'
import { openSource } from './open-source.ts'

/** A client's subscription to the data of a `GET` request. */
export class Subscription implements LiveMember {
  readonly peer: SessionPeer
  readonly sub: number
  readonly number: number
  has: string | null
  since: number | null = Number.POSITIVE_INFINITY
  isPaused = true
  isEnded = false
  group: LiveGroup | null = null
  accessStores: ReadonlySet<Store> = new Set()
  readonly check: () => Promise<void>
  /** Reads the data again, and reports to the client that it has all changes so far. */
  readonly sync: () => Promise<void>
  readonly #groups: LiveGroups
  /** The message of the client until its target is known: it may be much larger. */
  #message: LiveSubscribe | null
  #target = ''

  constructor(groups: LiveGroups, peer: SessionPeer, message: LiveSubscribe) {
    this.#groups = groups
    this.peer = peer
    this.#message = message
    this.sub = message.sub
    this.number = groups.count()
    this.has = message.has ?? null
    this.check = coalesce(() => this.#check())
    this.sync = coalesce(() => this.#sync())
  }

  get isBehind(): boolean {
    return this.peer.isBehind
  }

  async #sync(): Promise<void> {
    while (!this.isEnded && !(await this.#readNow())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    this.peer.sendJson(`{"synced":[${this.sub}],"v":${this.group?.version ?? 0}}`)
  }

  /** Reads the data, and returns whether it was sent to the client. */
  async #readNow(): Promise<boolean> {
    if (this.isPaused) await this.check()
    const { group } = this
    if (this.isPaused || group === null || !(await this.#isWithinRate())) return false
    const isRead = await this.#groups.guard(group, this.since === null ? group.refresh() : group.catchUp(this))
    return isRead && this.since === null && group === this.group
  }

  /** Counts a read as a request. If the rate limit is exceeded, the read waits. */
  async #isWithinRate(): Promise<boolean> {
    const { limiter, toRateLimitKeys } = this.#groups.host()
    const { incoming, auth } = this.peer
    const set = limiter.policiesOf('socket')
    if (set === null || incoming === undefined) return true
    return (await limiter.take(set, toRateLimitKeys(incoming, auth))).error === null
  }

  /** Continues sending, because the checks are complete or the client is no longer too slow. */
  resume(): void {
    const { group } = this
    if (!this.isPaused && this.since !== null && group !== null) void this.#groups.guard(group, group.catchUp(this))
  }

  /** Ends the subscription with an error, or at the client's request. */
  end(error?: ApiError): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#groups.leave(this)
    if (error !== undefined)
      this.peer.sendJson(JSON.stringify({ sub: this.sub, ...toEnvelope(error), status: error.status }))
  }

  async #check(): Promise<void> {
    if (this.isEnded) return
    const isNew = this.group === null
    const count = this.#groups.count()
    const { log, auth, incoming } = this.peer
    try {
      if (incoming === undefined) throw new TypeError('the socket has no handshake request')
      if (this.#message !== null) this.#target = toTarget(this.#message)
      this.#message = null
      const request = toGetRequest(incoming, this.#target, auth)
      const opened = await openSource(this.#groups.host(), request, isNew)
      if (this.isEnded) return
      const joined = this.#groups.join(this, opened, this.#target)
      // A change during the checks may have come too late for them.
      this.isPaused = this.#groups.recheck(this, opened.accessStores, count)
      if (joined !== null) await joined
      else if (opened.source.resources.length === 0) await this.group?.refresh()
      else this.resume()
    } catch (thrown) {
      if (this.isEnded) return
      if (isNew || !isOutage(thrown)) return this.end(toApiError(thrown, () => log))
      this.isPaused = true
      this.#groups.retry(this)
    }
  }
}
