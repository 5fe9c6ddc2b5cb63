/** Who has something to acknowledge. */
export interface Acknowledging {
  /** Tells the client how far its messages were handled. */
  acknowledge(): void | Promise<void>
}

/** Receipts of all clients, a little late and so together: one timer for all of them, and only while one is due. */
export class Acks {
  readonly #delay: number
  #due = new Set<Acknowledging>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(delay: number) {
    this.#delay = delay
  }

  /** Acknowledges soon. */
  add(one: Acknowledging): void {
    this.#due.add(one)
    this.#timer ??= setTimeout(() => this.#flush(), this.#delay)
  }

  /** Acknowledges now. */
  now(one: Acknowledging): void | Promise<void> {
    this.#due.delete(one)
    return one.acknowledge()
  }

  /** Acknowledges all that is due, and needs no timer for it. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#flush()
  }

  #flush(): void {
    this.#timer = null
    const due = this.#due
    this.#due = new Set()
    for (const one of due) void one.acknowledge()
  }
}
