import type { RunObserver } from '../observe/request-observer.ts'

/** The maximum number of observers that are kept. Development tools store the data of each of them. */
const MAX_WAITING = 100

/** The observers of paused and queued runs, for when such a run is executed in the same process without its request. */
export class WaitingObservers {
  readonly #observers = new Map<string, RunObserver>()

  /** Keeps the observer of a run, if it has one. If there are too many, the oldest one is dropped. */
  keep(run: string, observer: RunObserver | undefined): void {
    if (observer === undefined) return
    this.#observers.set(run, observer)
    if (this.#observers.size > MAX_WAITING) this.#observers.delete(this.#observers.keys().next().value ?? '')
  }

  /** Returns the observer of a run, if it was kept, and forgets it. */
  take(run: string): RunObserver | undefined {
    const observer = this.#observers.get(run)
    this.#observers.delete(run)
    return observer
  }
}
