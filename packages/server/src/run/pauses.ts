import type { RunWaiting, Schema } from '@sdk/protocol'
import type { SleepTime } from '../context/start.ts'
import { parseDuration, type EventSchemas } from '../define/durable.ts'
import { unref } from '../platform/unref-timer.ts'
import { never, type ActiveRun } from './active-run.ts'
import { StepUsageError } from './run-error.ts'
import { RUN_LIMITS } from './run-limits.ts'

/** How long a run stays in memory after a step has ended beside a sleep or a wait, in ms. */
const GRACE_MS = 60_000

/** The sleeps and waits of one execution of a run. While the run does nothing else, it leaves memory. */
export class Pauses {
  readonly #run: ActiveRun
  readonly #waits: RunWaiting[] = []
  readonly #events: string[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The number of steps and short sleeps that are running. */
  #working = 0

  constructor(run: ActiveRun) {
    this.#run = run
  }

  begin(): void {
    clearTimeout(this.#timer)
    this.#working += 1
  }

  end(): void {
    this.#working -= 1
    if (this.#waits.length > 0 && this.#working === 0) this.#leaveLater()
  }

  /** Waits for an event with one of these keys, or a time. Never settles: the handler runs again when the run is due. */
  wait(waiting: RunWaiting, ...events: readonly string[]): Promise<never> {
    this.#working -= 1
    this.#waits.push(waiting)
    this.#events.push(...events)
    if (this.#working === 0) this.#leave()
    return never()
  }

  /** Leaves memory unless the handler, which has continued beside the sleep, begins a step or yields a chunk. */
  #leaveLater(): void {
    const { produced } = this.#run
    clearTimeout(this.#timer)
    const leave = (): void => (this.#run.produced === produced ? this.#leave() : this.#leaveLater())
    this.#timer = unref(setTimeout(leave, GRACE_MS))
  }

  #leave(): void {
    const times = this.#waits.flatMap(({ until }) => until ?? []).toSorted()
    // Callers see what they can answer before what passes by itself.
    const waiting =
      this.#waits.find(({ event }) => event !== null) ?? this.#waits.find(({ until }) => until === times[0])
    if (waiting === undefined) return
    void this.#run.finish({ status: 'waiting', dueAt: times[0] ?? null, waiting, events: this.#events })
  }
}

/** Returns the time in ms at which a sleep that begins `now` ends. Throws a `TypeError` if `time` is invalid. */
export function toDueTime(time: SleepTime, now: number, subject: string): number {
  const ms = typeof time === 'number' ? time : parseDuration(time) * 1000
  const due = time instanceof Date ? time.getTime() : now + ms
  if (due - now <= RUN_LIMITS.sleep && (time instanceof Date || ms >= 0)) return Math.ceil(due)
  const got = time instanceof Date && !Number.isNaN(due) ? time.toISOString() : String(time)
  throw new StepUsageError(
    `${subject} must have a duration such as '90m' or '1d', a number of milliseconds or a Date, at most a year ahead, got ${got}`,
  )
}

/** The format of the id of a wait. */
export const EVENT_ID: RegExp = /^[\x21-\x7E]{1,128}$/

/** Returns the schema of the event that a handler waits for. Throws a `TypeError` if the arguments are invalid. */
export function assertWait(
  events: EventSchemas,
  { event, id, ask }: Omit<RunWaiting, 'event' | 'until'> & { event: string },
): Schema {
  const schema = Object.hasOwn(events, event) ? events[event] : undefined
  if (schema === undefined)
    throw new StepUsageError(`ctx.wait cannot wait for ${JSON.stringify(event)}: declare it in the agent's events`)
  if (id !== null && !EVENT_ID.test(id))
    throw new StepUsageError(
      `the id of a wait must have 1 to 128 printable ASCII characters without spaces, got ${JSON.stringify(id)}`,
    )
  if ((JSON.stringify(ask) ?? '').length > RUN_LIMITS.ask)
    throw new StepUsageError(`the ask of a wait must have at most ${RUN_LIMITS.ask} characters of JSON: send a key`)
  return schema
}
