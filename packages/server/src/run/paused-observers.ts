import type { RunObserver } from '../observe/request-observer.ts'

/** The maximum number of paused runs whose observers are kept. Development tools store the data of each of them. */
const MAX_PAUSED = 100

/** The observers of paused runs. They also observe a run when it continues in the same process, without a request. */
export class PausedObservers {
  readonly #observers = new Map<string, RunObserver>()

  /** Keeps the observer of a run. If there are too many, the oldest one is dropped. */
  keep(run: string, observer: RunObserver): void {
    this.#observers.set(run, observer)
    if (this.#observers.size > MAX_PAUSED) this.#observers.delete(this.#observers.keys().next().value ?? '')
  }

  /** Returns the observer of a run that continues, if it was kept. */
  take(run: string): RunObserver | undefined {
    const observer = this.#observers.get(run)
    this.#observers.delete(run)
    return observer
  }
}
