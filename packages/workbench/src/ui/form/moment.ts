/** Patterns for the parts of a date and time, some of which the browser's picker does not support. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/
const TIME = /^(\d\d:\d\d)(:\d\d)?(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/

/** The formats that have a picker, and the input type of each picker. */
export const PICKERS: Readonly<Record<string, 'date' | 'datetime-local' | 'time'>> = {
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
}

/** Converts a string to a picker's value, or returns an empty string if that is not possible. */
export function toPicker(format: string, text: string): string {
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(text) ? text : ''
  if (format === 'time') {
    const [, minutes, seconds = ''] = TIME.exec(text) ?? []
    return minutes === undefined ? '' : `${minutes}${seconds}`
  }
  const [, date, minutes, seconds = ''] = DATE_TIME.exec(text) ?? []
  return date === undefined || minutes === undefined ? '' : `${date}T${minutes}${seconds}`
}

/** Converts a picked value to a string. Keeps the old value's time zone, seconds and fractional seconds. */
export function fromPicker(format: string, picked: string, old: string): string {
  if (format === 'date' || picked === '') return picked
  const before = (format === 'time' ? TIME : DATE_TIME).exec(old)
  const [seconds, part, zone] = before?.slice(format === 'time' ? 2 : 3) ?? []
  const hasSeconds = /:\d\d:\d\d$/.test(picked)
  const fallback = format === 'time' ? '' : 'Z'
  return `${picked}${hasSeconds ? '' : (seconds ?? ':00')}${part ?? ''}${before === null ? fallback : (zone ?? '')}`
}
