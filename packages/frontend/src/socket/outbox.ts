import type { WelcomeFrame } from './socket-connection.ts'

/** The limits of an outbox. */
export interface OutboxLimits {
  /** The maximum number of unacknowledged messages. When this number is reached, `send` returns false. @default 1000 */
  maxPending?: number | undefined
  /** The maximum total size of unacknowledged messages in bytes. @default 4 MiB */
  maxBytes?: number | undefined
}

/** An unacknowledged message. */
export interface OutboxEntry {
  readonly json: string
  readonly bytes: number
  /** The time when the message was last sent. */
  sentAt?: number
}

/** A queue of messages to the server, numbered 1, 2, 3 … and kept until they are acknowledged. */
export interface Outbox {
  size(): number
  /** Returns the time when the oldest unacknowledged message was sent over this connection. */
  waitingSince(): number | undefined
  /** Adds a message. Returns false if the outbox is full. */
  add(entry: OutboxEntry): boolean
  /** Returns the next frame to send, or undefined if there is none or if `window` messages are unacknowledged. */
  next(window: number, now: number): string | undefined
  /** Removes all messages up to this number. */
  acknowledge(upTo: number): void
  /**
   * Prepares for a new connection: the remaining messages are sent again, and a new session numbers them from 1.
   * Returns whether unsent messages were dropped because they exceed this server's limit.
   */
  welcome(frame: Pick<WelcomeFrame, 'res' | 'ack' | 'max'>): boolean
}

export function createOutbox(limits: OutboxLimits = {}): Outbox {
  const { maxPending = 1000, maxBytes = 4_194_304 } = limits
  let entries: OutboxEntry[] = []
  // `handled` is the number of acknowledged messages; `sent` is the number of entries sent over this connection.
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
    // Acknowledgements for unsent messages are ignored.
    while (handled < upTo && entries[0]?.sentAt) {
      entries.shift()
      handled++
      if (sent) sent--
    }
  }
}
