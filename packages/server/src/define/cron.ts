import { parseField, type FieldRange } from './cron-field.ts'

/** A parsed cron expression with its time zone. */
export interface Cron {
  /** The local times of a matching date, in ms since its midnight. */
  readonly times: readonly number[]
  /** Whether the expression matches every hour. */
  readonly isHourly: boolean
  readonly timeZone: string
  /** Returns whether the expression matches a date, given as its midnight in UTC. */
  readonly isOn: (date: Date) => boolean
  /** Returns the difference between local time and UTC at a time, in ms. */
  readonly offsetAt: (time: number) => number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The maximum change of local clocks across midnight, in ms. */
const MAX_CHANGE = 3 * HOUR

/** The number of days in which to search for a tick. It includes February 29, also if the year 2100 is in between. */
const MAX_DAYS = 366 * 9

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ')

/** Parses a cron expression of five fields. Throws a `TypeError` that continues the given subject. */
export function parseCron(text: unknown, timeZone: unknown, subject: string): Cron {
  const fields = typeof text === 'string' ? text.trim().split(/\s+/) : []
  const quoted = JSON.stringify(text)
  if (fields.length !== 5)
    throw new TypeError(
      `${subject} must be a cron expression with the fields minute, hour, day, month and weekday, such as '0 7 * * *', got ${quoted}`,
    )
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const parse = (field: string, name: string, range: FieldRange): number[] => {
    const values = parseField(field, range)
    if (values !== null) return values
    throw new TypeError(
      `${subject}: the ${name} must be within ${range.min}–${range.max}, got ${JSON.stringify(field)} in ${quoted}`,
    )
  }
  const minutes = parse(minute, 'minute', { min: 0, max: 59 })
  const hours = parse(hour, 'hour', { min: 0, max: 23 })
  const days = new Set(parse(day, 'day', { min: 1, max: 31 }))
  const months = new Set(parse(month, 'month', { min: 1, max: 12, names: MONTHS }))
  const weekdays = new Set(parse(weekday, 'weekday', { min: 0, max: 7, names: WEEKDAYS }).map((value) => value % 7))
  // As in every cron, a date must match either field if both are restricted.
  const isEither = !day.startsWith('*') && !weekday.startsWith('*')
  const isOn = (date: Date): boolean => {
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
    return months.has(date.getUTCMonth() + 1) && (isEither ? isDay || isWeekday : isDay && isWeekday)
  }
  const times = hours.flatMap((value) => minutes.map((one) => value * HOUR + one * 60_000))
  const isHourly = hours.length === 24
  const cron = { times, isHourly, timeZone: String(timeZone), isOn, offsetAt: toOffsetAt(timeZone, subject) }
  if (nextTick(cron, Date.now()) === null) throw new TypeError(`${subject} must match a date, got ${quoted}`)
  return cron
}

/** Returns the first tick after a time, or null if there is none. */
export function nextTick(cron: Cron, after: number): number | null {
  const { day, time } = toLocal(cron, after)
  // Times of the previous day may occur again if the clocks are set back at midnight.
  const first = time < MAX_CHANGE ? day - DAY : day
  for (let next = first; next < day + MAX_DAYS * DAY; next += DAY) {
    const { times, shift } = cron.isOn(new Date(next)) ? ticksOf(cron, next) : NO_TICKS
    const found = times.find((one) => one + shift > after)
    if (found !== undefined) return found + shift
  }
  return null
}

/** Returns the last tick at or before a time, or null if there is none after `after`. */
export function lastTick(cron: Cron, at: number, after: number): number | null {
  const { day, time } = toLocal(cron, at)
  const first = time >= DAY - MAX_CHANGE ? day + DAY : day
  for (let next = first; next > after - 2 * DAY; next -= DAY) {
    const { times, shift } = cron.isOn(new Date(next)) ? ticksOf(cron, next) : NO_TICKS
    const found = times.findLast((one) => one + shift <= at)
    if (found !== undefined) return found + shift > after ? found + shift : null
  }
  return null
}

/** Returns the local date of a time, as its midnight in UTC, and the local time of day in ms. */
function toLocal({ offsetAt }: Cron, time: number): { day: number; time: number } {
  const local = time + offsetAt(time)
  const day = Math.floor(local / DAY) * DAY
  return { day, time: local - day }
}

/** The ticks of a local date in order, as `times` that are later by `shift`. */
interface DayTicks {
  readonly times: readonly number[]
  readonly shift: number
}

const NO_TICKS: DayTicks = { times: [], shift: 0 }

/**
 * Returns the ticks of a local date. If the clocks change, a local time that exists twice has one tick, and a local
 * time that does not exist has its tick at the change. A cron for every hour follows the elapsed time instead.
 */
function ticksOf({ times, isHourly, offsetAt }: Cron, day: number): DayTicks {
  // The local date lies between these times in every time zone.
  const [from, to] = [day - 14 * HOUR, day + DAY + 12 * HOUR]
  const [before, after] = [offsetAt(from), offsetAt(to)]
  if (before === after) return { times, shift: day - before }
  const change = findChange(offsetAt, from, to)
  const ticks = times.flatMap((local) => {
    const valid = [day + local - before].filter((time) => time < change)
    const later = [day + local - after].filter((time) => time >= change)
    if (isHourly) return [...valid, ...later]
    return [valid[0] ?? later[0] ?? change]
  })
  return { times: [...new Set(ticks)].toSorted((a, b) => a - b), shift: 0 }
}

/** Returns the time between two times at which the offset changes. */
function findChange(offsetAt: Cron['offsetAt'], from: number, to: number): number {
  const before = offsetAt(from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

function toOffsetAt(timeZone: unknown, subject: string): Cron['offsetAt'] {
  try {
    if (typeof timeZone !== 'string') throw new RangeError('no name')
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    return (time) => {
      const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
      const [, sign = '', hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
      return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
    }
  } catch (cause) {
    const message = `${subject}: timeZone must be an IANA time zone such as 'Europe/Berlin', got ${JSON.stringify(timeZone)}`
    throw new TypeError(message, { cause })
  }
}
