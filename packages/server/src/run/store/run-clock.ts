import { unref } from '../../platform/unref-timer.ts'

/** A timer that a run waits for while it stays in memory. */
interface RunTimer {
  readonly run: string
  readonly at: number
  fire(): void
}

/** The clock of a store in memory. It follows the system's clock, and tests can advance it. */
export class RunClock {
  readonly #time: () => number
  readonly #timers = new Set<RunTimer>()
  readonly #onAdvance: () => void
  #offset = 0

  constructor(time: () => number, onAdvance: () => void) {
    this.#time = time
    this.#onAdvance = onAdvance
  }

  now(): number {
    return this.#time() + this.#offset
  }

  /** Waits on behalf of a run. */
  delay(run: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const fire = (): void => {
        clearTimeout(handle)
        this.#timers.delete(timer)
        resolve()
      }
      const timer = { run, at: this.now() + ms, fire }
      const handle = unref(setTimeout(fire, ms))
      this.#timers.add(timer)
    })
  }

  /** Returns the times until which a run waits in memory. */
  timesOf(run: string): number[] {
    return [...this.#timers].flatMap((timer) => (timer.run === run ? [timer.at] : []))
  }

  /** Advances the clock to a time, unless it is later already. Timers that are due fire. */
  advanceTo(time: number): void {
    this.#offset += Math.max(0, time - this.now())
    for (const timer of this.#timers) if (timer.at <= this.now()) timer.fire()
    this.#onAdvance()
  }
}
