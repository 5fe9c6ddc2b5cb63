import type { Schema } from '@sdk/protocol'
import { lastTick, nextTick, parseCron, type Cron } from './cron.ts'

/** A schedule: a cron expression in UTC, or one with a time zone. */
export type ScheduleOption = string | { readonly cron: string; readonly timeZone?: string }

/** A schedule of a durable agent. */
export interface Schedule {
  /** The cron expression and the time zone, such as `0 7 * * * Europe/Berlin`. */
  readonly name: string
  /** Returns the first tick after a time, in ms since the Unix epoch, or null if there is none. */
  next(this: void, after: number): number | null
  /** Returns the last tick at or before a time, or null if there is none after `after`. */
  last(this: void, at: number, after: number): number | null
}

/** Options of the agent to which a schedule belongs. */
interface ScheduledAgent {
  readonly name: string
  readonly isDurable: boolean
  readonly input: Schema | undefined
}

/** The maximum number of schedules of an agent. */
const MAX_SCHEDULES = 100

/** Parses the `schedule` option of an agent. */
export function toSchedules(
  { name, isDurable, input }: ScheduledAgent,
  option: ScheduleOption | readonly ScheduleOption[] | undefined,
): readonly Schedule[] {
  if (option === undefined) return []
  const subject = `agent ${JSON.stringify(name)}: schedule`
  if (!isDurable) throw new TypeError(`${subject} must be used with durable: true, since only runs can be scheduled`)
  assertNoInput(subject, input)
  const options: readonly unknown[] = Array.isArray(option) ? option : [option]
  if (options.length > MAX_SCHEDULES)
    throw new TypeError(`${subject} must contain at most ${MAX_SCHEDULES} cron expressions, got ${options.length}`)
  const schedules = options.map((one, index) =>
    toSchedule(one, Array.isArray(option) ? `${subject}[${index}]` : subject),
  )
  return [...new Map(schedules.map((schedule) => [schedule.name, schedule])).values()]
}

/** Returns the next times at which an agent's schedule starts a run, or an empty array if the agent has no schedule. */
export function nextTicks(
  { schedules = [] }: { readonly schedules?: readonly Schedule[] | undefined },
  count: number,
  after: number = Date.now(),
): Date[] {
  const ticks: Date[] = []
  for (let time: number | null = after; ticks.length < count;) {
    const from: number = time
    const next = schedules.flatMap((schedule) => schedule.next(from) ?? [])
    if (next.length === 0) break
    time = Math.min(...next)
    ticks.push(new Date(time))
  }
  return ticks
}

function toSchedule(option: unknown, subject: string): Schedule {
  const isObject = typeof option === 'object' && option !== null
  const { cron: text, timeZone = 'UTC', ...rest } = (isObject ? option : { cron: option }) as Record<string, unknown>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`${subject} may contain only cron and timeZone, got ${unknown}`)
  const cron: Cron = parseCron(text, timeZone, subject)
  return {
    name: `${String(text).trim().split(/\s+/).join(' ')} ${cron.timeZone}`,
    next: (after) => nextTick(cron, after),
    last: (at, after) => lastTick(cron, at, after),
  }
}

/** Throws if a schema rejects a missing input. A schema that validates asynchronously is checked by each run. */
function assertNoInput(subject: string, input: Schema | undefined): void {
  const result = input?.['~standard'].validate(undefined)
  if (result instanceof Promise) result.catch(() => {})
  else if (result?.issues !== undefined)
    throw new TypeError(
      `${subject} must be used with an input schema that accepts undefined: scheduled runs have no input`,
    )
}
