import { joinConditions, toWhereConditions } from './conditions.ts'
import { toOrder } from './keyset.ts'
import type { RelatedTable } from './related-tables.ts'
import type { RowExtras } from './page-rows.ts'
import { type Parameters, toFits, toRowBytes, toRowColumns, toRowJson } from './row-values.ts'
import { columnOf, inRow, type Layout } from '../table-layout.ts'

/** The limits on the rows that a statement returns. */
interface PageLimits {
  readonly maxBytes: number | undefined
  /** The number of rows on a page. Omitted for a single row, which does not need the sizes of related rows. */
  readonly pageRows?: number
}

/**
 * Creates the SQL for relations, as subselects in the select list. In each subselect, `t` is the related table, so that
 * the condition of its access rule cannot refer to the outer row. The keys of the outer row are columns of `p`.
 */
export function toRelatedSql(
  layout: Layout,
  related: readonly RelatedTable[],
  { parameters, ...limits }: PageLimits & { parameters: Parameters },
): RowExtras {
  if (related.length === 0) return NO_EXTRAS
  const keys = related.map(({ key }, at) => `${inRow(columnOf(layout, key).name)} as ${nameOf('key', at)}`)
  const parts = related.map((one, at) => toPart(one, { at, parameters, ...limits }))
  return {
    join: ` cross join lateral (select ${keys.join(', ')}) p`,
    values: parts.map(({ value }) => value),
    sizes: parts.flatMap(({ size }) => size ?? []),
    reads: parts.map(({ read = '' }) => read).join(''),
    columns: parts.flatMap(({ columns = [] }) => columns),
  }
}

const NO_EXTRAS: RowExtras = { join: '', values: [], sizes: [], reads: '', columns: [] }

function nameOf(kind: string, at: number): string {
  return `"${kind}${at}"`
}

/** The SQL for one relation. */
interface RelatedPart {
  readonly value: string
  readonly size?: string
  readonly read?: string
  readonly columns?: readonly string[]
}

function toPart(
  { kind, layout, field, where, sort, limit }: RelatedTable,
  { at, parameters, ...limits }: PageLimits & { at: number; parameters: Parameters },
): RelatedPart {
  const conditions = [
    `${inRow(columnOf(layout, field).name)} = p.${nameOf('key', at)}`,
    ...toWhereConditions(layout, where, parameters.inSubselect()),
  ]
  const from = `from ${layout.table} t${joinConditions(conditions)}`
  const first = Number.isFinite(limit) ? ` limit ${limit}` : ''
  if (kind === 'exists') return { value: `exists (select 1 ${from})` }
  if (kind === 'count') return { value: `(select count(*) from (select 1 ${from}${first}) t)` }
  if (kind === 'one') return withSize(toOneSql(layout, `${from}${first}`), { at, limit, layout, ...limits })
  const rows = `(select ${toRowColumns(layout)} ${from}${toOrder(layout, sort)}${first}) t`
  return withSize(toManySql(layout, rows, limits.maxBytes), { at, limit, layout, ...limits })
}

/** The SQL for the rows of a relation. */
interface RowsSql {
  /** The SQL for the value without its size. */
  readonly value: string
  /** Returns the SQL for the value of rows that match a condition, the size of all rows, and whether all match. */
  readonly read: (isSmall: string) => string
}

function toOneSql(layout: Layout, from: string): RowsSql {
  const value = toRowJson(layout)
  return {
    value: `(select ${value} ${from})`,
    read: (isSmall) =>
      `select case when ${isSmall} then ${value} end as "value", ${toRowBytes(layout)} as "size", ${isSmall} as "isSmall" ${from}`,
  }
}

function toManySql(layout: Layout, rows: string, maxBytes: number | undefined): RowsSql {
  const value = `json_agg(${toRowJson(layout)})`
  const bytes = toRowBytes(layout)
  const fitting = `(select ${toRowColumns(layout)}, ${toFits(bytes, maxBytes ?? 0)} as "fits" from ${rows}) t`
  return {
    value:
      maxBytes === undefined
        ? `(select ${value} from ${rows})`
        : `(select ${value} filter (where t."fits") from ${fitting})`,
    read: (isSmall) =>
      `select ${value} filter (where ${isSmall}) as "value", least(coalesce(sum(${bytes}), 0), ${maxBytes}) as "size", bool_and(${isSmall}) as "isSmall" from ${rows}`,
  }
}

/**
 * Adds the size of related rows if a page needs it. Small rows are read together with their sizes, since reading them
 * twice takes 50% longer. Even if none of them is used, the small rows of a relation are at most twice as large as a
 * page.
 */
function withSize(
  { value, read }: RowsSql,
  { at, limit, layout, maxBytes, pageRows }: PageLimits & { at: number; limit: number; layout: Layout },
): RelatedPart {
  if (maxBytes === undefined || pageRows === undefined) return { value }
  const isSmall = `${toRowBytes(layout)} <= ${Math.floor((2 * maxBytes) / Math.max(1, pageRows * limit))}`
  const [name, known, whether] = [nameOf('related', at), nameOf('value', at), nameOf('isSmall', at)]
  return {
    value: `case when t.${whether} is not false then t.${known} else ${value} end`,
    size: `coalesce(${name}."size", 0)`,
    read: ` left join lateral (${read(isSmall)}) ${name} on true`,
    columns: [`${name}."value" as ${known}`, `${name}."isSmall" as ${whether}`],
  }
}
