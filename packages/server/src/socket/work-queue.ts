import { isThenable } from '../platform/and-then.ts'
import { errorFields, type Log } from '../log/log.ts'

/** A queue that runs tasks one at a time, in order. If the queue is idle, a task starts synchronously. */
export class WorkQueue {
  readonly #log: Log
  #waiting: (() => unknown)[] = []
  #isBusy = false
  #onEmpty: (() => void)[] | null = null

  /** Creates a queue that logs the errors thrown by its tasks. */
  constructor(log: Log) {
    this.#log = log
  }

  /** The number of waiting tasks, excluding the running one. */
  get length(): number {
    return this.#waiting.length
  }

  add(work: () => unknown): void {
    if (this.#isBusy) return void this.#waiting.push(work)
    this.#isBusy = true
    const result = this.#do(work)
    if (result instanceof Promise) void result.then(() => this.#go())
    else this.#go()
  }

  /** Resolves when no task is running or waiting. */
  empty(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => (this.#onEmpty ??= []).push(resolve)) : Promise.resolve()
  }

  #go(): void {
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      const result = this.#do(work)
      if (result instanceof Promise) return void result.then(() => this.#go())
    }
    this.#isBusy = false
    const waiting = this.#onEmpty
    this.#onEmpty = null
    for (const resolve of waiting ?? []) resolve()
  }

  #do(work: () => unknown): unknown {
    try {
      const result = work()
      return isThenable(result) ? Promise.resolve(result).catch((error: unknown) => this.#failed(error)) : undefined
    } catch (error) {
      return this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#log.error('socket handler failed', errorFields(error))
  }
}
