/** Who has something to acknowledge. */
export interface Acknowledger {
  /** Tells the client how far its messages were handled. */
  acknowledge(): void | Promise<void>
}

/** Receipts of all clients, a little late and so together: one timer for all of them, and only while one is due. */
export class AckBatcher {
  readonly #delay: number
  #due = new Set<Acknowledger>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(delay: number) {
    this.#delay = delay
  }

  /** Acknowledges soon. */
  add(one: Acknowledger): void {
    this.#due.add(one)
    this.#timer ??= setTimeout(() => this.#flushAll(), this.#delay)
  }

  /** Acknowledges now. */
  flush(one: Acknowledger): void | Promise<void> {
    this.#due.delete(one)
    return one.acknowledge()
  }

  /** Acknowledges all that is due, and needs no timer for it. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#flushAll()
  }

  #flushAll(): void {
    this.#timer = null
    const due = this.#due
    this.#due = new Set()
    for (const one of due) void one.acknowledge()
  }
}
