import type { CursorValue } from '@sdk/protocol'
import type { Condition, Fields, ListQuery, Scalar, SortKey, Where } from '../define/store.ts'

/** Returns whether a row matches a list query. */
export function matchesQuery(row: Fields, { conditions, where }: Pick<ListQuery, 'conditions' | 'where'>): boolean {
  return matchesWhere(row, where) && conditions.every((condition) => matchesCondition(row[condition.field], condition))
}

/** Returns whether a row has the values that an access rule requires. */
export function matchesWhere(row: Fields, where: Where): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    const value = row[field] ?? null
    return Array.isArray(wanted) ? wanted.includes(value) : value === wanted
  })
}

/** Returns the values of a row's sort keys. */
export function sortValuesOf(row: Fields, sort: readonly SortKey[]): CursorValue[] {
  return sort.map(({ field }) => (row[field] ?? null) as CursorValue)
}

/** Compares two positions in a sort order. Returns a negative number if the first comes before the second. */
export function compareSortValues(
  one: readonly CursorValue[],
  other: readonly CursorValue[],
  sort: readonly SortKey[],
): number {
  for (const [at, { isDescending }] of sort.entries()) {
    const order = compare(one[at] ?? null, other[at] ?? null)
    if (order !== 0) return isDescending ? -order : order
  }
  return 0
}

/** Creates a row comparator for a sort order. */
export function rowComparator(sort: readonly SortKey[]): (one: Fields, other: Fields) => number {
  return (one, other) => compareSortValues(sortValuesOf(one, sort), sortValuesOf(other, sort), sort)
}

function matchesCondition(value: unknown, { operator, value: wanted }: Condition): boolean {
  const known = (value ?? null) as CursorValue
  if (operator === 'null') return (known === null) === wanted
  if (operator === 'ne') return known !== wanted
  if (known === null) return false
  if (operator === 'in') return wanted.includes(known)
  return ORDERS[operator](compare(known, wanted))
}

const ORDERS: Record<'eq' | 'gt' | 'gte' | 'lt' | 'lte', (order: number) => boolean> = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

/** Compares two values. Null is greater than every value, as in PostgreSQL. */
function compare(one: CursorValue, other: CursorValue): number {
  if (one === null || other === null) return (one === null ? 1 : 0) - (other === null ? 1 : 0)
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  return Number(one) - Number(other)
}

/** Compares by code point. JavaScript compares code units, which sorts surrogate pairs before some single units. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  const end = Math.min(one.length, other.length)
  for (let at = 0; at < end; at++) {
    const [first, second] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (first !== second)
      return isSurrogate(first) === isSurrogate(second) ? first - second : isSurrogate(first) ? 1 : -1
  }
  return one.length - other.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdf_ff
}

/** Returns whether a value can be used in access rules and filters. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}
