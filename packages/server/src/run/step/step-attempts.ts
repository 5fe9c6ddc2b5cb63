import { isApiError } from '@sdk/protocol'
import type { StepInfo, StepOptions } from '../../context/durable-context.ts'
import { assertRetries } from '../../define/durable.ts'
import { errorFields, type Log } from '../../log/log.ts'
import { never, type ActiveRun } from '../active-run.ts'
import { currentStep } from './current-step.ts'
import { isRetryable } from '../run-error.ts'
import type { RunStore } from '../store/run-store.ts'
import { untilAvailable } from '../run-writer.ts'
import { delayBy, retryDelayOf } from './step-values.ts'

/** The attempts of a run's steps. */
export class StepAttempts {
  readonly #run: ActiveRun
  readonly #process: string
  readonly #store: Pick<RunStore, 'delay' | 'renew'>
  readonly #retries: number
  readonly #log: () => Log
  /** The number of attempts of each step that failed because the store was unavailable. They are not counted. */
  readonly #outages = new Map<string, number>()

  constructor(run: ActiveRun, { process, store, retries, log }: AttemptDependencies) {
    this.#run = run
    this.#process = process
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
    const before = this.#outages.get(step) ?? 0
    const outages = limit > 0 && (await this.#waitForStore(error)) ? before + 1 : before
    this.#outages.set(step, outages)
    if (this.#run.isEnding) return never()
    if (attempt - outages > limit || !isRetryable(error)) throw error
    this.#log().warn('a step failed; retrying', { step, attempt, ...errorFields(error) })
    await delayBy(this.#store, this.#run.id, retryDelayOf(error, Math.max(1, attempt - outages)))
    return this.#run.isEnding ? never() : undefined
  }

  /**
   * Waits until the store accepts writes, if a step has failed because something was unavailable. Returns whether this
   * was the store, which is often the database that the step uses.
   */
  async #waitForStore(error: unknown): Promise<boolean> {
    if (!isApiError(error) || error.code !== 'SERVICE_UNAVAILABLE') return false
    let wasUnavailable = false
    const onFailure = (): void => void (wasUnavailable = true)
    await untilAvailable(
      () => this.#store.renew(this.#process),
      () => !this.#run.isEnding,
      onFailure,
    )
    return wasUnavailable
  }

  toInfo(name: string, attempt: number): StepInfo {
    this.#run.traces.attempt(name, attempt)
    return { key: `${this.#run.id}/${name}`, signal: this.#run.controller.signal, attempt }
  }
}

interface AttemptDependencies {
  /** The process that executes the run. */
  readonly process: string
  readonly store: Pick<RunStore, 'delay' | 'renew'>
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
