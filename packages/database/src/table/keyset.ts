import type { ListQuery, SortKey } from '@sdk/server'
import { type LayoutColumn, columnOf, inRow, isNullable, type Layout, quoteIdent } from '../table-layout.ts'
import { type Parameters, equalsAtRowPrecision } from './row-values.ts'

/** Returns `order by …` in PostgreSQL's default order, in which null is larger than any other value. */
export function toOrder(layout: Layout, sort: readonly SortKey[]): string {
  // Sorts by the table's column instead of the output column with the same name, which would not use the index.
  const keys = sort.map(({ field, isDescending }) => {
    const value = inRow(columnOf(layout, field).name)
    return isDescending ? `${value} desc` : value
  })
  return ` order by ${keys.join(', ')}`
}

/**
 * Returns the conditions for the rows after a position, as ranges that do not overlap. Each condition matches one range
 * of an index, no matter how far into the list the position is. If the conditions were combined with `or`, PostgreSQL
 * would scan the index from its start.
 */
export function toRanges(
  layout: Layout,
  { sort, after }: Pick<ListQuery, 'sort' | 'after'>,
  parameters: Parameters,
): string[] {
  if (after === null) return []
  if (after.length !== sort.length) throw new TypeError('a position must have a value for each sort key')
  const keys = toKeys(layout, { sort, after }, parameters)
  const [{ isDescending } = { isDescending: false }] = keys
  const isOneWay = keys.every((key) => key.isDescending === isDescending && key.at !== null)
  // A row comparison omits rows with null. In descending order, these rows come before the position anyway.
  if (isOneWay && (isDescending || !keys.some(({ column }) => isNullable(column))))
    return [compareKeys(keys, isDescending)]
  return keys.flatMap((key, index) => {
    const equal = keys.slice(0, index).map(toEqualSql)
    return toAfterSql(key).map((condition) => [...equal, condition].join(' and '))
  })
}

interface KeysetKey {
  readonly column: LayoutColumn
  readonly value: string
  readonly isDescending: boolean
  /** The SQL for the value at the position, or null if the value is null. */
  readonly at: string | null
}

function toKeys(
  layout: Layout,
  { sort, after }: { sort: readonly SortKey[]; after: readonly unknown[] },
  parameters: Parameters,
): KeysetKey[] {
  const id = parameters.add(columnOf(layout, 'id'), after.at(-1))
  return sort.map(({ field, isDescending }, index) => {
    const column = columnOf(layout, field)
    const wanted = after[index] ?? null
    const at = wanted === null ? null : field === 'id' ? id : parameters.add(column, wanted)
    return {
      column,
      value: inRow(column.name),
      isDescending,
      at: at !== null && column.hasExtraPrecision === true ? toExactValue(layout, { column, at, id }) : at,
    }
  })
}

/**
 * Returns the SQL for the exact value of the row at the position. If that row was deleted or has changed, uses the
 * exact value of the nearest row that shows the same value, since rows that were created together may have equal
 * values.
 */
function toExactValue(layout: Layout, { column, at, id }: { column: LayoutColumn; at: string; id: string }): string {
  const value = `p.${quoteIdent(column.name)}`
  const key = `p.${quoteIdent(columnOf(layout, 'id').name)}`
  const find = `select ${value} from ${layout.table} p where ${equalsAtRowPrecision(column, value, at)}`
  return `coalesce((${find} and ${key} = ${id}), (${find} order by abs(${key} - ${id}) limit 1), ${at})`
}

function compareKeys(keys: readonly KeysetKey[], isDescending: boolean): string {
  const values = keys.map(({ value }) => value).join(', ')
  return `(${values}) ${isDescending ? '<' : '>'} (${keys.map(({ at }) => at).join(', ')})`
}

function toEqualSql({ value, at }: KeysetKey): string {
  return at === null ? `${value} is null` : `${value} = ${at}`
}

function toAfterSql({ column, value, isDescending, at }: KeysetKey): string[] {
  if (isDescending) return [at === null ? `${value} is not null` : `${value} < ${at}`]
  if (at === null) return []
  return isNullable(column) ? [`${value} > ${at}`, `${value} is null`] : [`${value} > ${at}`]
}
