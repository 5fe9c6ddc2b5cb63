import type { StepInfo, StepOptions } from '../../context/durable-context.ts'
import { assertRetries } from '../../define/durable.ts'
import { errorFields, type Log } from '../../log/log.ts'
import { never, type ActiveRun } from '../active-run.ts'
import { currentStep } from './current-step.ts'
import { isRetryable } from '../run-error.ts'
import type { RunStore } from '../store/run-store.ts'
import { delayBy, retryDelayOf } from './step-values.ts'

/** The attempts of a run's steps. */
export class StepAttempts {
  readonly #run: ActiveRun
  readonly #store: Pick<RunStore, 'delay'>
  readonly #retries: number
  readonly #log: () => Log

  constructor(run: ActiveRun, { store, retries, log }: AttemptDependencies) {
    this.#run = run
    this.#store = store
    this.#retries = retries
    this.#log = log
  }

  /** Returns the maximum number of retries of a step. */
  limitOf(name: string, { retries = this.#retries }: StepOptions = {}): number {
    return assertRetries(retries, `the step ${JSON.stringify(name)}: retries`)
  }

  /** Calls `work` until it succeeds or cannot be retried. */
  async repeat(key: string, work: (info: StepInfo) => unknown, limit: number): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await currentStep.run(key, async () => work(this.toInfo(key, attempt)))
      } catch (error) {
        await this.waitForRetry(error, { step: key, attempt, limit })
      }
    }
  }

  /** Waits before the next attempt. Throws the error if the step cannot be retried. */
  async waitForRetry(error: unknown, { step, attempt, limit }: StepFailure): Promise<void> {
    if (this.#run.isEnding) return never()
    if (attempt > limit || !isRetryable(error)) throw error
    this.#log().warn('a step failed; retrying', { step, attempt, ...errorFields(error) })
    await delayBy(this.#store, this.#run.id, retryDelayOf(error, attempt))
    return this.#run.isEnding ? never() : undefined
  }

  toInfo(name: string, attempt: number): StepInfo {
    this.#run.traces.attempt(name, attempt)
    return { key: `${this.#run.id}/${name}`, signal: this.#run.controller.signal, attempt }
  }
}

interface AttemptDependencies {
  readonly store: Pick<RunStore, 'delay'>
  /** The default number of retries. */
  readonly retries: number
  readonly log: () => Log
}

interface StepFailure {
  readonly step: string
  readonly attempt: number
  /** The maximum number of retries. */
  readonly limit: number
}
