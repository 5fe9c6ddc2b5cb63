import type { WelcomeFrame } from './socket-connection.ts'

/** How much may wait for its receipt. */
export interface OutboxLimits {
  /** How many messages may wait for their receipt; then `send` takes no more. @default 1000 */
  maxPending?: number | undefined
  /** How many bytes of them. @default 4 MiB */
  maxBytes?: number | undefined
}

/** A message on its way. */
export interface OutboxEntry {
  readonly json: string
  readonly bytes: number
  /** When it was sent last. */
  sentAt?: number
}

/** Messages on their way to the server: numbered 1, 2, 3 … and kept until it says that it has handled them. */
export interface Outbox {
  size(): number
  /** Since when the first message is on its way, in this connection. */
  waitingSince(): number | undefined
  /** Takes a message; false where there is no room. */
  add(entry: OutboxEntry): boolean
  /** The next frame to send, at this time; undefined where none waits or `window` of them are on their way. */
  next(window: number, now: number): string | undefined
  /** All up to this number were handled. */
  acknowledge(upTo: number): void
  /**
   * The connection is a new one: what is left is sent again; a new session counts from 1 again.
   * True where messages were dropped, since they were never sent and this server takes none so large.
   */
  welcome(frame: Pick<WelcomeFrame, 'res' | 'ack' | 'max'>): boolean
}

/** Makes an empty outbox. */
export function createOutbox(limits: OutboxLimits = {}): Outbox {
  const { maxPending = 1000, maxBytes = 4_194_304 } = limits
  let entries: OutboxEntry[] = []
  // `handled` went before the first entry; `sent` of the entries are on their way in this connection.
  let handled = 0
  let sent = 0

  return {
    size: () => entries.length,
    waitingSince: () => (sent ? entries[0]?.sentAt : undefined),
    add(entry) {
      let total = entry.bytes
      for (const { bytes } of entries) total += bytes
      return entries.length < maxPending && total <= maxBytes && entries.push(entry) > 0
    },
    next(window, now) {
      const entry = entries[sent]
      if (!entry || sent >= window) return undefined
      const mark = entry.sentAt ? ',"r":1' : ''
      entry.sentAt = now
      sent++
      return `{"o":"m","i":${handled + sent},"d":${entry.json}${mark}}`
    },
    acknowledge,
    welcome({ res, ack, max }) {
      if (res) acknowledge(ack)
      else handled = 0
      sent = 0
      const all = entries
      entries = all.filter(({ bytes, sentAt }) => sentAt || bytes <= max)
      return entries.length < all.length
    },
  }

  function acknowledge(upTo: number): void {
    // A receipt for what was never sent is not believed.
    while (handled < upTo && entries[0]?.sentAt) {
      entries.shift()
      handled++
      if (sent) sent--
    }
  }
}
