/** Does one thing after the other. What is there and needs no waiting is done at once, without a promise. */
export class Line {
  readonly #failed: (error: unknown) => void
  #waiting: (() => unknown)[] = []
  #isBusy = false
  #onEmpty: (() => void)[] = []

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** How many wait; the one that is being done is not counted. */
  get length(): number {
    return this.#waiting.length
  }

  add(work: () => unknown): void {
    this.#waiting.push(work)
    if (!this.#isBusy) this.#go()
  }

  /** Settles when nothing is being done and nothing waits. */
  empty(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#onEmpty.push(resolve)) : Promise.resolve()
  }

  #go(): void {
    this.#isBusy = true
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      const result = this.#do(work)
      if (result instanceof Promise) return void result.then(() => this.#go())
    }
    this.#isBusy = false
    for (const resolve of this.#onEmpty.splice(0)) resolve()
  }

  #do(work: () => unknown): unknown {
    try {
      const result = work()
      return isThenable(result) ? Promise.resolve(result).catch(this.#failed) : undefined
    } catch (error) {
      return this.#failed(error)
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
