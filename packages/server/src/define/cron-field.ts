/** The values that a field of a cron expression may have. */
export interface FieldRange {
  readonly min: number
  readonly max: number
  /** The names of the values, beginning with the one for `min`. */
  readonly names?: readonly string[]
}

/**
 * Parses a field of a cron expression: `*`, a value, a range such as `1-5` or `MON-FRI`, or a list of these, each
 * optionally with a step such as `/15`. Returns null if it is malformed.
 */
export function parseField(field: string, { min, max, names = [] }: FieldRange): number[] | null {
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
