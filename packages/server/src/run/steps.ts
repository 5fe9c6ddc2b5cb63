import { ApiError } from '@sdk/protocol'
import type { DurableContext, StepInfo, StepOptions, StepRunner, WaitOptions } from '../context/durable-context.ts'
import type { RunStartCall } from '../context/context.ts'
import type { SleepTime, StartedRun } from '../context/start.ts'
import { assertRetries, type EventSchemas } from '../define/durable.ts'
import { errorFields, type Log } from '../log/log.ts'
import { never, type ActiveRun } from './active-run.ts'
import { currentStep, iterateInStep } from './current-step.ts'
import { assertWait, Pauses, toDueTime } from './pauses.ts'
import { validateStored } from './execute-run.ts'
import { isRetryable, StepUsageError } from './run-error.ts'
import type { RunStore, SentEvent } from './run-store.ts'
import { delay } from './run-writer.ts'
import { runInTransaction, type TransactionStepDependencies } from './transaction-step.ts'
import { parseValue, retryDelayOf, serializeValue, toPlain, untilRead } from './step-values.ts'

/** The dependencies of a run's steps. */
export interface StepDependencies extends TransactionStepDependencies {
  readonly store: Pick<RunStore, 'stepValue' | 'now' | 'isInTransaction' | 'event' | 'steps' | 'finishInTransaction'>
  /** The schemas of the agent's events. */
  readonly events: EventSchemas
  /** Sends an event to the run. */
  send(event: Omit<SentEvent, 'run'>): Promise<unknown>
  /** The default number of retries. */
  readonly retries: number
  readonly log: () => Log
  /** Starts another run in the background. */
  start(call: StartCall): Promise<StartedRun>
  /** Retracts the chunks after a mark. */
  retract(mark: ReturnType<ActiveRun['beginStep']>): Promise<void>
}

type StartCall = Omit<RunStartCall, 'caller'>

type StepWork<T> = (info: StepInfo) => T

/** The longest sleep for which a run stays in memory, in ms. */
const MAX_SLEEP_IN_MEMORY_MS = 60_000

/** The functions that only the context of a run has. */
export type RunTools = Pick<DurableContext, 'step' | 'sleep' | 'wait' | 'start'>

/** Creates `ctx.step` and the functions that are stored as steps are. */
export function createRunTools(run: ActiveRun, dependencies: StepDependencies): RunTools {
  const steps = new Steps(run, dependencies)
  const step = (name: string, work: StepWork<unknown>, options?: StepOptions): Promise<unknown> =>
    steps.run(name, work, options)
  const stream = <T>(name: string, work: StepWork<AsyncIterable<T>>, options?: StepOptions): AsyncGenerator<T> =>
    steps.stream(name, work, options)
  return {
    step: Object.assign(step, { stream }) as unknown as StepRunner,
    sleep: (name, time) => steps.sleep(name, time),
    wait: (event: string, options?: WaitOptions) => steps.wait(event, options),
    start: (agent, input, options) => steps.start({ agent, input, options }),
  }
}

/** The steps of one execution of a run. */
class Steps {
  readonly #run: ActiveRun
  readonly #dependencies: StepDependencies
  readonly #counts = new Map<string, number>()
  readonly #running = new Set<string>()
  readonly #pauses: Pauses
  /** The stream step that is running, or null. */
  #streaming: string | null = null

  constructor(run: ActiveRun, dependencies: StepDependencies) {
    this.#run = run
    this.#dependencies = dependencies
    this.#pauses = new Pauses(run)
  }

  async run(name: string, work: StepWork<unknown>, options?: StepOptions): Promise<unknown> {
    if (this.#run.isEnding) return never()
    const { key, limit } = this.#begin('step', name, options)
    try {
      if (options?.transaction !== true) return await this.#store(key, () => this.#tryRepeatedly(key, work, limit))
      return await this.#find(key, async (index) => {
        const inside = (info: StepInfo): Promise<unknown> =>
          runInTransaction(this.#run, { name: key, work, info, index }, this.#dependencies)
        return (await this.#tryRepeatedly(key, inside, limit)) as string | null
      })
    } finally {
      this.#end(name)
    }
  }

  async sleep(name: string, time: SleepTime): Promise<void> {
    if (this.#run.isEnding) return never()
    const { key } = this.#begin('sleep', name)
    try {
      const toDue = async (): Promise<number> => toDueTime(time, await this.#now(), `the sleep ${JSON.stringify(name)}`)
      const due = await this.#store(key, toDue)
      const ms = Number(due) - (await this.#now())
      const until = new Date(Number(due)).toISOString()
      if (ms > MAX_SLEEP_IN_MEMORY_MS) await this.#pauses.wait({ event: null, id: null, ask: null, until })
      if (ms > 0) await delay(ms)
      if (this.#run.isEnding) await never()
    } finally {
      this.#end(name)
    }
  }

  async wait(event: string, { ask = null, timeout, id: given }: WaitOptions = {}): Promise<unknown> {
    const run = this.#run
    if (run.isEnding) return never()
    const id = given ?? null
    const schema = assertWait(this.#dependencies.events, { event, id, ask })
    const name = id === null ? event : `${event} ${id}`
    const { key } = this.#begin('wait', name)
    try {
      const toDue = async (): Promise<number | undefined> =>
        timeout === undefined ? undefined : toDueTime(timeout, await this.#now(), `the wait ${JSON.stringify(name)}`)
      const due = (await this.#store(key, toDue)) as number | undefined
      const sent = await this.#findEvent(name, due)
      if (run.isEnding) return await never()
      const until = due === undefined ? null : new Date(due).toISOString()
      if (sent === null) return await this.#pauses.wait({ event, id, ask: toPlain(ask), until }, name)
      if (sent.value === null) throw new ApiError('EVENT_TIMEOUT', `the event ${event} was not sent before ${until}`)
      return await validateStored(schema, sent.value, `The event ${event} does not match its current schema`)
    } finally {
      this.#end(key)
    }
  }

  /** Starts another run once. The default key is the same in every attempt. */
  async start({ agent, input, options }: StartCall): Promise<StartedRun> {
    if (this.#run.isEnding) return never()
    const { name } = agent
    const { key, limit, number } = this.#begin('start', name)
    const own = { key: `${this.#run.id}/${name}#${number}`, ...options }
    const start = (): Promise<StartedRun> => this.#dependencies.start({ agent, input, options: own })
    try {
      return (await this.#store(key, () => this.#tryRepeatedly(key, start, limit))) as StartedRun
    } finally {
      this.#end(key)
    }
  }

  /** Finds an event. After its timeout, sends an event without a value, which has no effect if there already is one. */
  async #findEvent(key: string, due: number | undefined): Promise<Pick<SentEvent, 'value'> | null> {
    const find = (): Promise<Pick<SentEvent, 'value'> | null> =>
      untilRead(() => this.#dependencies.store.event(this.#run.id, key))
    const found = await find()
    if (found !== null || due === undefined || due > (await this.#now())) return found
    await untilRead(() => this.#dependencies.send({ key, value: null, print: '' }))
    return find()
  }

  #now(): Promise<number> {
    return untilRead(() => this.#dependencies.store.now())
  }

  /** Returns the stored value of a step. If the step has not finished, calls `work` and stores its result. */
  #store(key: string, work: () => Promise<unknown>): Promise<unknown> {
    return this.#find(key, async (index) => {
      const value = serializeValue(await work(), key, this.#run)
      await this.#run.finishStep(key, value, index)
      return value
    })
  }

  /** Returns the stored value of a step. If the step has not finished, calls `work`, which stores its result. */
  async #find(key: string, work: (index: number) => Promise<string | null>): Promise<unknown> {
    const run = this.#run
    const chunks = run.finished.get(key)
    if (chunks !== undefined) {
      run.skipStep(chunks)
      return parseValue(await untilRead(() => this.#dependencies.store.stepValue(run.id, key)))
    }
    const { index } = run.beginStep()
    if (run.isEnding) return never() // the run has too many steps
    return parseValue(await work(index))
  }

  async *stream<T>(name: string, work: StepWork<AsyncIterable<T>>, options?: StepOptions): AsyncGenerator<T, void> {
    if (this.#run.isEnding) await never()
    const { key, limit } = this.#begin('step', name, options)
    try {
      const chunks = this.#run.finished.get(key)
      if (chunks === undefined) yield* this.#streamNew(key, work, limit)
      else this.#run.skipStep(chunks)
    } finally {
      this.#end(name)
    }
  }

  async *#streamNew<T>(key: string, work: StepWork<AsyncIterable<T>>, limit: number): AsyncGenerator<T, void> {
    const run = this.#run
    // If one of them were retried, the chunks of the other would be lost.
    if (this.#streaming !== null)
      throw new StepUsageError(
        `the step ${JSON.stringify(key)} cannot stream while the step ${JSON.stringify(this.#streaming)} streams: ` +
          'run them one after the other, or merge both streams in one step',
      )
    const mark = run.beginStep(true)
    if (run.isEnding) await never()
    this.#streaming = key
    try {
      yield* this.#streamRepeatedly(key, work, { limit, mark })
    } finally {
      this.#streaming = null
      run.endStream(mark)
    }
    await run.finishStep(key, null, run.index())
  }

  async *#streamRepeatedly<T>(
    key: string,
    work: StepWork<AsyncIterable<T>>,
    { limit, mark }: { limit: number; mark: ReturnType<ActiveRun['beginStep']> },
  ): AsyncGenerator<T, void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return yield* iterateInStep(key, () => work(this.#toInfo(key, attempt)))
      } catch (error) {
        await this.#waitForRetry(error, { step: key, attempt, limit })
        if (this.#run.produced > mark.produced) await this.#dependencies.retract(mark)
      }
    }
  }

  async #tryRepeatedly(key: string, work: StepWork<unknown>, limit: number): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await currentStep.run(key, async () => work(this.#toInfo(key, attempt)))
      } catch (error) {
        await this.#waitForRetry(error, { step: key, attempt, limit })
      }
    }
  }

  /** Returns the name under which the next step is stored: repeated names are numbered. */
  #begin(
    kind: keyof RunTools,
    name: string,
    { retries = this.#dependencies.retries }: StepOptions = {},
  ): { key: string; limit: number; number: number } {
    this.#assertAllowed(kind, name)
    const limit = assertRetries(retries, `the step ${JSON.stringify(name)}: retries`)
    // The name of a step cannot end with a number, so a wait or start is never stored under the name of a step.
    const own = kind === 'wait' ? `${name}#0` : kind === 'start' ? `start ${name}#00` : name
    const number = (this.#counts.get(own) ?? 0) + 1
    if (kind === 'wait' && number > 1)
      throw new StepUsageError(`the wait ${JSON.stringify(name)} is not the first: pass a different { id } to each one`)
    this.#counts.set(own, number)
    this.#running.add(own)
    this.#pauses.begin()
    return { key: number === 1 ? own : `${own}#${number}`, limit, number }
  }

  #end(name: string): void {
    this.#running.delete(name)
    this.#pauses.end()
  }

  #assertAllowed(kind: keyof RunTools, name: string): void {
    const step = `the ${kind} ${JSON.stringify(name)}`
    // The database would replace a lone surrogate, and the step would not be found again.
    if (typeof name !== 'string' || name.length < 1 || name.length > 200 || /#\d+$|\p{Surrogate}/u.test(name))
      throw new StepUsageError(
        `${step} must have a name of 1 to 200 valid characters that does not end with # and a number`,
      )
    const outer = currentStep.getStore()
    if (outer !== undefined)
      throw new StepUsageError(
        `${step} cannot run inside the step ${JSON.stringify(outer)}: call ctx.${kind} in the handler`,
      )
    if (this.#dependencies.store.isInTransaction?.() === true)
      throw new StepUsageError(
        `${step} cannot run inside a transaction: call ctx.${kind} before or after ctx.transaction`,
      )
    if (kind !== 'start' && this.#running.has(name))
      throw new StepUsageError(
        `${step} is already running: use a different name for each ${kind}, as in \`read \${source}\``,
      )
  }

  /** Waits before the next attempt. Throws the error if the step cannot be retried. */
  async #waitForRetry(error: unknown, { step, attempt, limit }: StepFailure): Promise<void> {
    const run = this.#run
    if (run.isEnding) return never()
    if (attempt > limit || !isRetryable(error)) throw error
    this.#dependencies.log().warn('a step failed; retrying', { step, attempt, ...errorFields(error) })
    await delay(retryDelayOf(error, attempt))
    return run.isEnding ? never() : undefined
  }

  #toInfo(name: string, attempt: number): StepInfo {
    return { key: `${this.#run.id}/${name}`, signal: this.#run.controller.signal, attempt }
  }
}

interface StepFailure {
  readonly step: string
  readonly attempt: number
  /** The maximum number of retries. */
  readonly limit: number
}
