import type { ListQuery, SortKey } from '@sdk/server'
import { type LayoutColumn, columnOf, inRow, isNullable, type Layout, quoteIdent } from '../table-layout.ts'
import { type Parameters, equalsAtRowPrecision } from './row-values.ts'

/** `order by …` in PostgreSQL's own order, in which null is larger than every value. */
export function toOrder(layout: Layout, sort: readonly SortKey[]): string {
  // The column, not the output of the same name: sorting by that would leave the index.
  const keys = sort.map(({ field, isDescending }) => {
    const value = inRow(columnOf(layout, field).name)
    return isDescending ? `${value} desc` : value
  })
  return ` order by ${keys.join(', ')}`
}

/**
 * The rows behind a place, as the conditions of ranges that do not overlap. Each is one stretch of an index, however
 * deep the place is; an `or` of them would read the index from its start.
 */
export function toRanges(
  layout: Layout,
  { sort, after }: Pick<ListQuery, 'sort' | 'after'>,
  parameters: Parameters,
): string[] {
  if (after === null) return []
  if (after.length !== sort.length) throw new TypeError('a place has a value for each sort key')
  const keys = toKeys(layout, { sort, after }, parameters)
  const [{ isDescending } = { isDescending: false }] = keys
  const isOneWay = keys.every((key) => key.isDescending === isDescending && key.at !== null)
  // A comparison of rows leaves out those with a null. Descending, they stand before the place anyway.
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
  /** The value at the place, as SQL; null: there is none. */
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
 * The exact value of the row at the place, as long as it shows the same. Where it is gone, that of the nearest row that
 * shows the same: those that were made at once may have the same to the last digit.
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
