/** How a step ran, for development tools. */
export interface StepTrace {
  readonly kind: StepKind
  /** The duration, in ms. */
  readonly ms: number
  /** The number of times that the step was tried in this process. */
  readonly attempts: number
}

/** The function of the context that a step belongs to. `stream` is `ctx.step.stream`. */
export type StepKind = 'step' | 'stream' | 'sleep' | 'wait' | 'start' | 'call'

/** The steps of a run that are running, each with its kind, its start and the number of attempts. */
export class StepTraces {
  readonly #running = new Map<string, { kind: StepKind; since: number; attempts: number }>()

  begin(step: string, kind: StepKind): void {
    this.#running.set(step, { kind, since: performance.now(), attempts: 1 })
  }

  /** Counts an attempt. */
  attempt(step: string, attempts: number): void {
    const running = this.#running.get(step)
    if (running !== undefined) running.attempts = attempts
  }

  /** Returns how a step has run until now. */
  of(step: string): StepTrace | undefined {
    const running = this.#running.get(step)
    if (running === undefined) return undefined
    const { kind, since, attempts } = running
    return { kind, attempts, ms: Math.round(performance.now() - since) }
  }

  /** Removes a step that has finished, and returns how it ran. */
  end(step: string): StepTrace | undefined {
    const trace = this.of(step)
    this.#running.delete(step)
    return trace
  }
}
