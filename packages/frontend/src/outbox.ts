/** How much may wait for its receipt. */
export interface OutboxLimits {
  /** @default 1000 */
  maxMessages?: number | undefined
  /** @default 4 MiB */
  maxBytes?: number | undefined
}

/** Messages on their way to the server: numbered 1, 2, 3 … and kept until it says that it has handled them. */
export interface Outbox {
  readonly size: number
  /** Since when the first message is on its way, in this connection. */
  waitingSince(): number | undefined
  /** Takes a message, as JSON text of so many bytes; false where there is no room. */
  add(json: string, bytes: number): boolean
  /** The next frame to send, at this time; null where none waits or `window` of them are on their way. */
  next(window: number, now: number): string | null
  /** All up to this number were handled. */
  acknowledge(upTo: number): void
  /** The connection is a new one: what is left is sent again. A new session counts from 1 again. */
  restart(session: { isNew: boolean }): void
}

/** Makes an empty outbox. */
export function createOutbox(limits: OutboxLimits = {}): Outbox {
  const { maxMessages = 1000, maxBytes = 4 * 1024 * 1024 } = limits
  const entries: { number: number; json: string; bytes: number; sentAt?: number }[] = []
  let last = 0
  // The first so many entries are on their way in this connection.
  let sent = 0
  let total = 0

  return {
    get size() {
      return entries.length
    },
    waitingSince: () => (sent > 0 ? entries[0]?.sentAt : undefined),
    add(json, bytes) {
      if (entries.length >= maxMessages || total + bytes > maxBytes) return false
      entries.push({ number: ++last, json, bytes })
      total += bytes
      return true
    },
    next(window, now) {
      const entry = sent < window ? entries[sent] : undefined
      if (entry === undefined) return null
      const resent = entry.sentAt === undefined ? '' : ',"r":1'
      entry.sentAt = now
      sent++
      return `{"o":"m","i":${entry.number},"d":${entry.json}${resent}}`
    },
    acknowledge(upTo) {
      // A receipt for what was never sent is not believed.
      for (let first = entries[0]; first?.sentAt !== undefined && first.number <= upTo; first = entries[0]) {
        entries.shift()
        total -= first.bytes
        if (sent > 0) sent--
      }
    },
    restart({ isNew }) {
      sent = 0
      if (!isNew) return
      for (const [index, entry] of entries.entries()) entry.number = index + 1
      last = entries.length
    },
  }
}
