/** A session with messages to acknowledge. */
export interface Acknowledger {
  /** Sends the client the number of its last handled message. */
  acknowledge(): void | Promise<void>
}

/** A batcher for the acks to all clients. All clients share one timer, which runs only while acks are due. */
export class AckBatcher {
  readonly #delay: number
  #due = new Set<Acknowledger>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(delay: number) {
    this.#delay = delay
  }

  /** Schedules an ack for the next batch. */
  add(one: Acknowledger): void {
    this.#due.add(one)
    this.#timer ??= setTimeout(() => this.#flushAll(), this.#delay)
  }

  /** Sends an ack immediately. */
  flush(one: Acknowledger): void | Promise<void> {
    this.#due.delete(one)
    return one.acknowledge()
  }

  /** Sends all due acks immediately and stops the timer. */
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
