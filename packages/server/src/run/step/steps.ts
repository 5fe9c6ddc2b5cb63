import type { DurableContext, StepInfo, StepOptions, StepRunner, WaitOptions } from '../../context/durable-context.ts'
import type { RunStartCall } from '../../context/context.ts'
import type { AgentRef, StartedRun } from '../../context/start.ts'
import type { EventSchemas } from '../../define/durable.ts'
import type { Log } from '../../log/log.ts'
import { never, type ActiveRun } from '../active-run.ts'
import { parseEnd, toCallKey } from './child-run.ts'
import { iterateInStep } from './current-step.ts'
import { Pauses } from './pauses.ts'
import { StepUsageError } from '../run-error.ts'
import type { RunStore, SentEvent } from '../store/run-store.ts'
import { StepAttempts } from './step-attempts.ts'
import { assertAllowed, assertName, PAUSE_KEY, SUFFIXES } from './step-names.ts'
import { StepOrder } from './step-order.ts'
import { delayBy, parseValue, serializeValue, untilRead } from './step-values.ts'
import { runInTransaction, type TransactionStepDependencies } from './transaction-step.ts'
import { Waits, type StoredWork } from './waits.ts'

/** The dependencies of a run's steps. */
export interface StepDependencies extends TransactionStepDependencies {
  readonly store: TransactionStepDependencies['store'] &
    Pick<RunStore, 'now' | 'delay' | 'renew' | 'isInTransaction' | 'event' | 'events' | 'get'>
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
type StreamWork<T> = StepWork<AsyncIterable<T>>

/** A step that the handler has begun. */
interface BegunStep {
  /** The name under which the step is stored. */
  readonly key: string
  /** The name under which its end is stored. */
  readonly end: string
  /** Its name without a number. */
  readonly own: string
  /** The number of steps that had ended before it. */
  readonly mark: number
}

/** The functions that only the context of a run has. */
export type RunTools = Pick<DurableContext, 'step' | 'sleep' | 'wait' | 'start'> & {
  /** Calls another durable agent as a run, and returns its result. */
  call(agent: AgentRef, input: unknown): Promise<unknown>
}

/** Creates `ctx.step` and the functions that are stored as steps are. */
export function createRunTools(run: ActiveRun, dependencies: StepDependencies): RunTools {
  const steps = new Steps(run, dependencies)
  const { waits } = steps
  const step = (name: string, work: StepWork<unknown>, options?: StepOptions): Promise<unknown> =>
    steps.run(name, work, options)
  const stream = <T>(name: string, work: StreamWork<T>, options?: StepOptions): AsyncGenerator<T, unknown> =>
    steps.stream(name, work, options)
  return {
    step: Object.assign(step, { stream }) as unknown as StepRunner,
    sleep: (name, time) => waits.sleep(name, time),
    wait: (event: string, options?: WaitOptions) => waits.wait(event, options),
    start: (agent, input, options) => steps.start({ agent, input, options }),
    call: (agent, input) => steps.call({ agent, input }),
  }
}

/** The steps of one execution of a run. */
class Steps {
  readonly waits: Waits
  readonly #run: ActiveRun
  readonly #dependencies: StepDependencies
  readonly #attempts: StepAttempts
  readonly #counts = new Map<string, number>()
  readonly #running = new Set<string>()
  readonly #order: StepOrder
  readonly #pauses: Pauses
  /** The stream step that is running, or null. */
  #streaming: string | null = null

  constructor(run: ActiveRun, dependencies: StepDependencies) {
    this.#run = run
    this.#dependencies = dependencies
    this.#attempts = new StepAttempts(run, dependencies)
    this.#order = new StepOrder(run.finished.keys(), () => {
      // If the handler has reached another sleep or wait instead, it has probably been renamed.
      if ([...this.#running].some((name) => PAUSE_KEY.test(name))) this.#warn()
      // Otherwise, new chunks would be taken for stored ones.
      run.catchUp()
    })
    this.#pauses = new Pauses(run, {
      delay: (ms) => delayBy(dependencies.store, run.id, ms),
      isBusy: () => this.waits.isBusy(),
      onLeave: () => this.#warn(),
      onNews: () => this.waits.forget(),
      onLate: () => this.waits.continueLate(),
    })
    this.waits = new Waits(run, { ...dependencies, steps: this, pauses: this.#pauses })
  }

  run(name: string, work: StepWork<unknown>, options?: StepOptions): Promise<unknown> {
    return this.perform('step', name, async (key) => {
      const limit = this.#attempts.limitOf(name, options)
      const inside = async (index: number): Promise<string | null> => {
        this.#order.add(key)
        const step = (info: StepInfo): Promise<unknown> =>
          runInTransaction(this.#run, { name: key, work, info, index }, this.#dependencies)
        return (await this.#attempts.repeat(key, step, limit)) as string | null
      }
      const value =
        options?.transaction === true
          ? await this.#find(key, inside)
          : await this.store(key, () => this.#attempts.repeat(key, work, limit))
      return () => parseValue(value)
    })
  }

  /** Starts another run once. The default key is the same in every attempt. */
  start({ agent, input, options }: StartCall): Promise<StartedRun> {
    const { name } = agent
    const started = this.perform('start', name, async (key) => {
      const [, number = '1'] = /#(\d+)$/.exec(key) ?? []
      const own = { key: `${this.#run.id}/${name}#${number}`, ...options }
      const start = (): Promise<StartedRun> => this.#dependencies.start({ agent, input, options: own })
      const value = await this.store(key, () => this.#attempts.repeat(key, start, this.#attempts.limitOf(name)))
      return () => parseValue(value)
    })
    return started as Promise<StartedRun>
  }

  /** Starts another run once, and waits until it has ended. */
  call({ agent, input }: StartCall): Promise<unknown> {
    return this.perform('call', agent.name, async (key, mark) => {
      const end = await this.#find(key, async (index) => {
        const options = { key: toCallKey(this.#run.id, key) }
        const start = (): Promise<StartedRun> => this.#dependencies.start({ agent, input, options })
        const { id } = (await this.#attempts.repeat(key, start, this.#attempts.limitOf(key))) as StartedRun
        const value = await this.waits.end(id, mark)
        await this.finish(key, value, index)
        return value
      })
      return () => parseEnd(end)
    })
  }

  /**
   * Performs a step, a sleep or a wait. The handler continues in the order in which their ends were stored.
   */
  async perform(kind: keyof RunTools, name: string, work: StoredWork): Promise<unknown> {
    if (this.#run.isEnding) return this.#stopLate()
    const begun = this.#begin(kind, name)
    let result: () => unknown
    try {
      result = await work(begun.key, begun.mark)
    } catch (error) {
      this.#order.add(begun.end)
      result = () => {
        throw error
      }
    }
    await this.#order.turn(begun.end)
    if (this.#run.isEnding) return never()
    this.#end(begun)
    return result()
  }

  /** Returns the stored value of a step as JSON. If the step has not finished, calls `work` and stores its result. */
  store(key: string, work: () => Promise<unknown>): Promise<string | null> {
    return this.#find(key, async (index) => {
      const value = serializeValue(await work(), key, this.#run)
      await this.finish(key, value, index)
      return value
    })
  }

  /** Returns the stored value of a step as JSON. If the step has not finished, calls `work`, which stores its result. */
  async #find(key: string, work: (index: number) => Promise<string | null>): Promise<string | null> {
    const run = this.#run
    const stored = run.finished.get(key)
    if (stored !== undefined) {
      run.skipStep(stored.chunks)
      if (stored.value !== undefined) return stored.value
      return untilRead(run, () => this.#dependencies.store.stepValue(run.id, key))
    }
    const { index } = run.beginStep()
    if (run.isEnding) return never() // the run has too many steps
    return work(index)
  }

  /** Stores a step, or the beginning or end of a sleep or a wait, which keeps the chunks before `index`. */
  finish(key: string, value: string | null, index: number): Promise<void> {
    if (!PAUSE_KEY.test(key)) this.#order.add(key)
    return this.#run.finishStep(key, value, index)
  }

  #warn(): void {
    this.waits.warnOf(this.#order.unreached(), this.#running)
  }

  /** Notifies the run that its handler continues although the run has left memory. */
  #stopLate(): Promise<never> {
    this.#run.onLate()
    return never()
  }

  async *stream<T>(name: string, work: StreamWork<T>, options?: StepOptions): AsyncGenerator<T, unknown> {
    if (this.#run.isEnding) await this.#stopLate()
    const begun = this.#begin('step', name)
    const { key } = begun
    try {
      const value = this.#run.finished.has(key)
        ? await this.#find(key, never)
        : yield* this.#streamNew(key, work, this.#attempts.limitOf(name, options))
      await this.#order.turn(key)
      return parseValue(value)
    } finally {
      this.#order.pass(key)
      this.#end(begun)
    }
  }

  async *#streamNew<T>(key: string, work: StreamWork<T>, limit: number): AsyncGenerator<T, string | null> {
    const run = this.#run
    let value: string | null
    // If one of them were retried, the chunks of the other would be lost.
    if (this.#streaming !== null)
      throw new StepUsageError(
        `the step ${JSON.stringify(key)} cannot stream while the step ${JSON.stringify(this.#streaming)} streams: ` +
          'run them one after the other, or merge both streams in one step',
      )
    this.#streaming = key
    try {
      // The position of its chunks is known when the handler has passed all stored steps.
      this.#order.add(`${key}#begin`)
      await this.#order.turn(`${key}#begin`)
      run.traces.begin(key, 'stream')
      const mark = run.beginStep(true)
      if (run.isEnding) await never()
      try {
        value = serializeValue(yield* this.#streamRepeatedly(key, work, { limit, mark }), key, run)
      } finally {
        run.endStream(mark)
      }
    } finally {
      this.#streaming = null
    }
    await this.finish(key, value, run.index())
    return value
  }

  async *#streamRepeatedly<T>(
    key: string,
    work: StreamWork<T>,
    { limit, mark }: { limit: number; mark: ReturnType<ActiveRun['beginStep']> },
  ): AsyncGenerator<T, unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return yield* iterateInStep(key, () => work(this.#attempts.toInfo(key, attempt)))
      } catch (error) {
        await this.#attempts.waitForRetry(error, { step: key, attempt, limit })
        if (this.#run.produced > mark.produced) await this.#dependencies.retract(mark)
      }
    }
  }

  /** Begins a step. Repeated names are numbered. */
  #begin(kind: keyof RunTools, name: string): BegunStep {
    const own = `${name}${SUFFIXES[kind]}`
    assertName(kind, name)
    const isInTransaction = this.#dependencies.store.isInTransaction?.() === true
    assertAllowed(kind, name, { isInTransaction, isRunning: this.#running.has(own) })
    const number = (this.#counts.get(own) ?? 0) + 1
    if (kind === 'wait' && number > 1)
      throw new StepUsageError(`the wait ${JSON.stringify(name)} is not the first: pass a different { id } to each one`)
    this.#counts.set(own, number)
    this.#running.add(own)
    const mark = this.#pauses.begin()
    const key = number === 1 ? own : `${own}#${number}`
    const end = kind === 'sleep' || kind === 'wait' ? `${key}#end` : key
    if (!this.#run.finished.has(key)) this.#run.traces.begin(key, kind)
    this.#order.reach(end)
    if (end !== key) this.#order.pass(key)
    return { key, end, own, mark }
  }

  #end({ own }: BegunStep): void {
    this.#running.delete(own)
    this.#pauses.end()
  }
}
