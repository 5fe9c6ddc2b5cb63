/** A parsed cron expression with its time zone. */
export interface Cron {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly timeZone: string
  /** Returns whether the expression matches a date, given as its midnight in UTC. */
  readonly isOn: (date: Date) => boolean
  /** Returns the difference between local time and UTC at a time, in ms. */
  readonly offsetAt: (time: number) => number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

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
  const cron = { minutes, hours, timeZone: String(timeZone), isOn, offsetAt: toOffsetAt(timeZone, subject) }
  if (nextTick(cron, Date.now()) === null) throw new TypeError(`${subject} must match a date, got ${quoted}`)
  return cron
}

/** Returns the first tick after a time, or null if there is none. */
export function nextTick(cron: Cron, after: number): number | null {
  const start = Math.floor((after + cron.offsetAt(after)) / DAY) * DAY
  // The previous day is included, since its times may occur again after the clocks are set back at midnight.
  for (let day = start - DAY; day < start + MAX_DAYS * DAY; day += DAY) {
    const tick = cron.isOn(new Date(day)) ? ticksOf(cron, day).find((time) => time > after) : undefined
    if (tick !== undefined) return tick
  }
  return null
}

/** Returns the last tick at or before a time, or null if there is none after `after`. */
export function lastTick(cron: Cron, at: number, after: number): number | null {
  const start = Math.floor((at + cron.offsetAt(at)) / DAY) * DAY
  for (let day = start + DAY; day > after - 2 * DAY; day -= DAY) {
    const tick = cron.isOn(new Date(day)) ? ticksOf(cron, day).findLast((time) => time <= at) : undefined
    if (tick !== undefined) return tick > after ? tick : null
  }
  return null
}

/**
 * Returns the ticks of a local date in order. If the clocks change, a local time that exists twice has one tick, and a
 * local time that does not exist has its tick at the change. A cron for every hour follows the elapsed time instead.
 */
function ticksOf({ minutes, hours, offsetAt }: Cron, day: number): number[] {
  // The local date lies between these times in every time zone.
  const [from, to] = [day - 14 * HOUR, day + DAY + 12 * HOUR]
  const [before, after] = [offsetAt(from), offsetAt(to)]
  const locals = hours.flatMap((hour) => minutes.map((minute) => day + hour * HOUR + minute * 60_000))
  if (before === after) return locals.map((local) => local - before)
  const change = findChange(offsetAt, from, to)
  const ticks = locals.flatMap((local) => {
    const valid = [local - before].filter((time) => time < change)
    const later = [local - after].filter((time) => time >= change)
    if (hours.length === 24) return [...valid, ...later]
    return [valid[0] ?? later[0] ?? change]
  })
  return [...new Set(ticks)].toSorted((a, b) => a - b)
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

interface FieldRange {
  readonly min: number
  readonly max: number
  /** The names of the values, beginning with the one for `min`. */
  readonly names?: readonly string[]
}

/** Parses a field such as `*`, `5`, `1-5`, `MON-FRI`, or a list of these, each optionally with a step such as `/15`. */
function parseField(field: string, { min, max, names = [] }: FieldRange): number[] | null {
  const toNumber = (text: string): number => {
    const index = names.indexOf(text.toUpperCase())
    if (index !== -1) return min + index
    return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  }
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [, range = '', step] = /^(\*|\w+(?:-\w+)?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    const [first = '', last = step === undefined ? first : String(max)] =
      range === '*' ? [`${min}`, `${max}`] : range.split('-')
    const [from, to, by] = [toNumber(first), toNumber(last), Number(step ?? 1)]
    if (!(from >= min && from <= to && to <= max && by >= 1)) return null
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return [...values].toSorted((a, b) => a - b)
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
