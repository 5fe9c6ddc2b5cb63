import type { ApiError } from '@sdk/protocol'
import type { Store } from '../define/store.ts'
import type { LiveSource, LiveView, RowChanges } from '../endpoint/live-source.ts'
import { toSharedMessage } from '../socket/outbox.ts'
import type { SessionPeer } from '../socket/peer.ts'
import type { SharedMessage } from '../socket/transport.ts'
import { toChangeText, toDataText } from './change-text.ts'
import { coalesce } from './coalesce.ts'

/** A subscription, as seen by the groups. */
export interface LiveMember {
  readonly sub: number
  /** The number of the subscription in this process. */
  readonly number: number
  group: LiveGroup | null
  /** The stores that the checks of the request depend on. */
  accessStores: ReadonlySet<Store>
  /** The tag of the data that the client already has. */
  has: string | null
  /**
   * The number of the first read whose data the client can receive, if it needs all data: `Infinity` while nothing can
   * be sent to it. Null if the client has the current data.
   */
  since: number | null
  /** Whether the access of the client is being checked. Until then, nothing is sent to it. */
  isPaused: boolean
  readonly isEnded: boolean
  /** Whether the client is too slow for the messages that were sent to it. */
  readonly isBehind: boolean
  readonly peer: Pick<SessionPeer, 'sendJson' | 'sendOnce'>
  /** Runs the checks of the request again. Never rejects. */
  check(): Promise<void>
  /** Ends the subscription with an error. */
  end(error: ApiError): void
}

/** Options for a group. */
export interface LiveGroupOptions {
  readonly key: string
  /** The id of the list in messages. It is unique across processes. */
  readonly id: string
  readonly route: string
  /** The path and query of the first subscription. */
  readonly target: string
  readonly source: LiveSource
  readonly tags: ReadonlySet<string>
  readonly groups: {
    /** Returns a number that is higher than all earlier ones, to order reads and changes. */
    count(this: void): number
    /** The total size of the texts that all groups hold, in characters. */
    readonly stats: { heldBytes: number }
    readonly settings: { readonly maxHeldBytes: number }
  }
}

/** The subscriptions that have the same data. The data is read once for all of them. */
export class LiveGroup {
  readonly options: LiveGroupOptions
  readonly members: Set<LiveMember> = new Set()
  /** Reads the data again. Resolves when all members have received the changes of a read that started after the call. */
  readonly refresh: () => Promise<void>
  view: LiveView | null = null
  version = 0
  /** The number of reads, including the current one. */
  reads = 0
  /** The count at the start of the last read. */
  readAt = 0
  /** The count at the end of the last read. */
  endedAt = 0
  isReading = false
  #held = 0
  /** The time of the next read, if a change was not read yet, in ms. */
  dueAt = 0
  /** The name of the resource or tag whose change has affected the data last, and the time of the change. */
  woken: { readonly by: string; readonly at: number } | null = null

  constructor(options: LiveGroupOptions) {
    this.options = options
    this.refresh = coalesce(() => this.#read())
  }

  join(member: LiveMember): Promise<void> {
    this.members.add(member)
    return this.catchUp(member)
  }

  /** Sends all data to a member, from a read that starts now. */
  catchUp(member: LiveMember): Promise<void> {
    member.since = this.reads + 1
    return this.refresh()
  }

  /** Returns whether a change may affect the data. All changes were announced before the given count. */
  isAffected(changes: RowChanges, count: number): boolean {
    if (this.readAt > count) return false
    // The data of a read that started before the change may be older or newer than the change.
    return this.isReading || this.view === null || this.view.isAffected(changes)
  }

  async #read(): Promise<void> {
    const number = (this.reads += 1)
    this.readAt = this.options.groups.count()
    this.isReading = true
    try {
      this.apply(await this.options.source.read(), number)
    } finally {
      this.isReading = false
      this.endedAt = this.options.groups.count()
    }
  }

  /** Removes the group's texts from the total. */
  release(): void {
    this.options.groups.stats.heldBytes -= this.#held
    this.#held = 0
  }

  /** Replaces the data, and sends the difference to all members. `read` is the number of the read. */
  apply(view: LiveView, read: number = this.reads): void {
    // The last member may have left during the read. Such a group has no other reads.
    if (this.members.size === 0) return
    const { view: before } = this
    const isChanged = before?.tag !== view.tag
    if (isChanged) this.version += 1
    // A value that is not a list is always sent as a whole.
    const toChange = isChanged && before !== null && view.items !== null ? this.#changeFrom(before, view) : null
    const sendAll = this.#toSendAll(view)
    for (const member of this.members) {
      const hasBefore = member.since === null
      if (hasBefore && !isChanged) continue
      if (member.isPaused || member.isBehind) member.since = Number.POSITIVE_INFINITY
      else if (hasBefore && toChange !== null)
        member.since = member.peer.sendOnce(toChange()) ? null : Number.POSITIVE_INFINITY
      else if (hasBefore || Number(member.since) <= read) sendAll(member)
    }
    this.#hold(view)
  }

  /** Keeps the data for the next change, as hashes if the texts of all groups are too large. */
  #hold(view: LiveView): void {
    const { stats, settings } = this.options.groups
    this.release()
    // Data that is not a list is always sent as a whole, so the next change does not need the old text.
    const isSlim = view.items === null || stats.heldBytes + view.size > settings.maxHeldBytes
    this.view = isSlim ? view.slim() : view
    this.#held = isSlim ? 0 : view.size
    stats.heldBytes += this.#held
  }

  /**
   * Returns a function that creates the message with a change on its first call. A connection receives it once. It needs
   * no number: members that cannot receive it now receive all data later, and a client whose connection is lost
   * subscribes again.
   */
  #changeFrom(before: LiveView, view: LiveView): () => SharedMessage {
    let change: SharedMessage | undefined
    return () => (change ??= toSharedMessage(`{${this.#state()},${toChangeText(before, view)},"tag":"${view.tag}"}`))
  }

  #toSendAll(view: LiveView): (member: LiveMember) => void {
    let all: string | undefined
    return (member) => {
      const isSame = member.has === view.tag
      if (!isSame) all ??= `"all":${toDataText(view)},"tag":"${view.tag}"`
      member.peer.sendJson(`{"sub":${member.sub},${this.#state()},${isSame ? '"same":true' : all}}`)
      member.since = member.has = null
    }
  }

  #state(): string {
    return `"list":"${this.options.id}","v":${this.version}`
  }
}
