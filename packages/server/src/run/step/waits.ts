import { ApiError, type Schema } from '@sdk/protocol'
import type { WaitOptions } from '../../context/durable-context.ts'
import type { SleepTime } from '../../context/start.ts'
import type { EventSchemas } from '../../define/durable.ts'
import type { Log } from '../../log/log.ts'
import type { ActiveRun } from '../active-run.ts'
import { validateStored } from '../execute-run.ts'
import { serializeEnd, toEndKey } from './child-run.ts'
import { assertWait, BUSY_EVENT, toDueTime, type Pauses } from './pauses.ts'
import { RUN_LIMITS } from '../run-limits.ts'
import type { RunStore, SentEvent, StoredRun, StoredValue } from '../store/run-store.ts'
import { PAUSE_KEY } from './step-names.ts'
import { toPlain, untilRead } from './step-values.ts'

/**
 * How often a run that was called is checked, in ms: less often the older it is, since its caller's handler runs again.
 * It notifies its caller, unless it was cancelled or its process was killed at its end.
 */
const CALL_CHECK_MS = { min: 60_000, max: 900_000 }

/** Stores the end of a step with this key, and returns a function that returns its result. */
export type StoredWork = (key: string, mark: number) => Promise<() => unknown>

interface WaitDependencies {
  readonly store: Pick<RunStore, 'now' | 'event' | 'events' | 'get'>
  /** The schemas of the agent's events. */
  readonly events: EventSchemas
  readonly log: () => Log
  readonly steps: {
    perform(kind: 'sleep' | 'wait', name: string, work: StoredWork): Promise<unknown>
    store(key: string, work: () => Promise<unknown>): Promise<string | null>
    finish(key: string, value: string | null, index: number): Promise<void>
  }
  readonly pauses: Pick<Pauses, 'wait'>
  /** Sends an event to the run. */
  send(event: Omit<SentEvent, 'run'>): Promise<unknown>
}

/** The events that were sent to a run, as far as they are known. */
type KnownEvents = ReadonlyMap<string, StoredValue>

/** The sleeps and waits of one execution of a run. They are stored as two steps: when they begin and when they end. */
export class Waits {
  readonly #run: ActiveRun
  readonly #dependencies: WaitDependencies
  #events: KnownEvents = new Map()
  #readingEvents: Promise<KnownEvents> | undefined
  #readingNow: Promise<number> | undefined
  #hasWarned = false

  constructor(run: ActiveRun, dependencies: WaitDependencies) {
    this.#run = run
    this.#dependencies = dependencies
  }

  /** Returns whether the handler has continued after the run had left memory. */
  isBusy(): boolean {
    return this.#events.has(BUSY_EVENT)
  }

  /** Continues the run, because its handler has continued after the run had left memory. */
  continueLate(): void {
    this.#dependencies.log().warn('the run paused while its handler was working: move this work to a step')
    void this.#dependencies.send({ key: BUSY_EVENT, value: null, print: '' }).catch(() => {})
  }

  /** Forgets the events that are being read, since another one may have been sent. */
  forget(): void {
    this.#readingEvents = undefined
  }

  /** Warns of sleeps and waits that are stored, but that the handler does not reach: it has probably been changed. */
  warnOf(unreached: readonly string[], running: Iterable<string>): void {
    const pauses = unreached.filter((name) => PAUSE_KEY.test(name))
    if (pauses.length === 0 || this.#hasWarned) return
    this.#hasWarned = true
    const message = 'the handler does not reach stored sleeps or waits: under a new name, they begin again'
    const [stored, current] = [pauses, [...running]].map((names) => names.map((name) => name.replace(PAUSE_KEY, '')))
    this.#dependencies.log().warn(message, { stored, current })
  }

  sleep(name: string, time: SleepTime): Promise<void> {
    const { steps, pauses } = this.#dependencies
    return steps.perform('sleep', name, async (key, mark) => {
      const due = await this.#begin(key, time, `the sleep ${JSON.stringify(name)}`)
      if (this.#run.finished.has(`${key}#end`)) return () => undefined
      if (this.#run.epoch > 1 && this.#events.size === 0) await this.#readEvents()
      const waiting = { event: null, id: null, ask: null, until: new Date(due).toISOString() }
      await pauses.wait({ waiting, key: null, mark, left: async () => due - (await this.#now()) })
      await steps.finish(`${key}#end`, null, 0)
      return () => undefined
    }) as Promise<void>
  }

  wait(event: string, { ask = null, timeout = RUN_LIMITS.sleep, id: given }: WaitOptions = {}): Promise<unknown> {
    const id = given ?? null
    const name = id === null ? event : `${event} ${id}`
    const { steps, pauses, events } = this.#dependencies
    return steps.perform('wait', name, async (key, mark) => {
      const schema = assertWait(events, { event, id, ask })
      const due = await this.#begin(key, timeout, `the wait ${JSON.stringify(name)}`)
      const until = new Date(due).toISOString()
      if (!this.#run.finished.has(`${key}#end`)) {
        const waiting = { event, id, ask: toPlain(ask), until }
        await pauses.wait({ waiting, key: name, mark, left: () => this.#leftOf(name, due) })
      }
      const value = await this.#eventValue(name)
      const result = await toResult(schema, value, { event, until })
      if (!this.#run.finished.has(`${key}#end`)) await steps.finish(`${key}#end`, null, 0)
      return result
    })
  }

  /** Waits until another run has ended. Returns its end as JSON. */
  async end(id: string, mark: number): Promise<string> {
    const { store, pauses } = this.#dependencies
    const find = (): Promise<StoredRun | null> => untilRead(this.#run, () => store.get(id))
    const waiting = { event: null, id: null, ask: null, until: '' }
    const left = async (): Promise<number> => {
      const [run, now] = await Promise.all([find(), this.#now()])
      if (run?.endedAt !== null) return 0
      const age = now - Date.parse(run.createdAt)
      const ms = Math.min(Math.max(age, CALL_CHECK_MS.min), CALL_CHECK_MS.max)
      waiting.until = new Date(now + ms).toISOString()
      return ms
    }
    if (this.#run.epoch > 1 && this.#events.size === 0) await this.#readEvents()
    await pauses.wait({ waiting, key: toEndKey(id), mark, left })
    return serializeEnd(await find())
  }

  /** Stores when a sleep or a wait is due. Returns this time. */
  async #begin(key: string, time: SleepTime, subject: string): Promise<number> {
    const toDue = async (): Promise<number> => toDueTime(time, await this.#now(), subject)
    return Number(await this.#dependencies.steps.store(key, toDue))
  }

  /** Returns the time until a wait is due. After its timeout, sends an event without a value, unless there is one. */
  async #leftOf(key: string, due: number): Promise<number> {
    if ((await this.#readEvents()).has(key)) return 0
    const ms = due - (await this.#now())
    if (ms > 0) return ms
    await untilRead(this.#run, () => this.#dependencies.send({ key, value: null, print: '' }))
    return 0
  }

  async #eventValue(key: string): Promise<string | null> {
    const { store } = this.#dependencies
    const known = this.#events.get(key) ?? (await this.#readEvents()).get(key)
    if (known?.value !== undefined) return known.value
    return (await untilRead(this.#run, () => store.event(this.#run.id, key)))?.value ?? null
  }

  /** Reads all events of the run. Waits that begin at once share a query. */
  #readEvents(): Promise<KnownEvents> {
    const read = async (): Promise<KnownEvents> => {
      this.#events = await untilRead(this.#run, () => this.#dependencies.store.events(this.#run.id))
      this.#readingEvents = undefined
      return this.#events
    }
    return (this.#readingEvents ??= read())
  }

  /** Returns the time of the store. */
  #now(): Promise<number> {
    const read = async (): Promise<number> => {
      const now = await untilRead(this.#run, () => this.#dependencies.store.now())
      this.#readingNow = undefined
      return now
    }
    return (this.#readingNow ??= read())
  }
}

/** Returns a function that returns the value of an event, or throws if it has timed out. */
async function toResult(
  schema: Schema,
  value: string | null,
  { event, until }: { event: string; until: string },
): Promise<() => unknown> {
  if (value === null)
    return () => {
      throw new ApiError('EVENT_TIMEOUT', `the event ${event} was not sent before ${until}`)
    }
  const checked = await validateStored(schema, value, `The event ${event} does not match its current schema`)
  return () => checked
}
