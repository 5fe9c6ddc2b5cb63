import { joinConditions, toWhereConditions } from './conditions.ts'
import { toOrder } from './keyset.ts'
import type { RelatedTable } from './related-tables.ts'
import { type Parameters, toFits, toRowBytes, toRowColumns, toRowJson } from './row-values.ts'
import { columnOf, inRow, type Layout } from '../table-layout.ts'

/** The SQL for the relations of a statement's rows. */
export interface RelatedSql {
  /** The join that makes the keys of a row available to subselects. */
  readonly join: string
  /** The values for each row. */
  readonly values: readonly string[]
  /** The sizes of these values, in bytes. */
  readonly sizes: readonly string[]
}

/**
 * Creates the SQL for relations, as subselects in the select list. In each subselect, `t` is the related table, so that
 * the condition of its access rule cannot refer to the outer row. The keys of the outer row are columns of `p`.
 */
export function toRelatedSql(
  layout: Layout,
  related: readonly RelatedTable[],
  { parameters, maxBytes }: { parameters: Parameters; maxBytes?: number | undefined },
): RelatedSql {
  if (related.length === 0) return { join: '', values: [], sizes: [] }
  const keys = related.map(({ key }, at) => `${inRow(columnOf(layout, key).name)} as ${keyName(at)}`)
  const parts = related.map((one, at) => toSubselects(one, { key: `p.${keyName(at)}`, parameters, maxBytes }))
  return {
    join: ` cross join lateral (select ${keys.join(', ')}) p`,
    values: parts.map(({ value }) => value),
    sizes: parts.flatMap(({ size }) => size ?? []),
  }
}

function keyName(at: number): string {
  return `"key${at}"`
}

interface SubselectOptions {
  readonly key: string
  readonly parameters: Parameters
  readonly maxBytes: number | undefined
}

function toSubselects(
  { kind, layout, field, where, sort, limit }: RelatedTable,
  { key, parameters, maxBytes }: SubselectOptions,
): { value: string; size?: string } {
  const conditions = [
    `${inRow(columnOf(layout, field).name)} = ${key}`,
    ...toWhereConditions(layout, where, parameters.inSubselect()),
  ]
  const from = `from ${layout.table} t${joinConditions(conditions)}`
  const first = Number.isFinite(limit) ? ` limit ${limit}` : ''
  if (kind === 'exists') return { value: `exists (select 1 ${from})` }
  if (kind === 'count') return { value: `(select count(*) from (select 1 ${from}${first}) t)` }
  const bytes = toRowBytes(layout)
  if (kind === 'one')
    return {
      value: `(select ${toRowJson(layout)} ${from}${first})`,
      size: `coalesce((select ${bytes} ${from}${first}), 0)`,
    }
  const rows = `(select ${toRowColumns(layout)} ${from}${toOrder(layout, sort)}${first}) t`
  if (maxBytes === undefined) return { value: `(select json_agg(${toRowJson(layout)}) from ${rows})` }
  const fitting = `(select ${toRowColumns(layout)}, ${toFits(bytes, maxBytes)} as "fits" from ${rows}) t`
  return {
    value: `(select json_agg(${toRowJson(layout)}) filter (where t."fits") from ${fitting})`,
    size: `least(coalesce((select sum(${bytes}) from ${rows}), 0), ${maxBytes})`,
  }
}
