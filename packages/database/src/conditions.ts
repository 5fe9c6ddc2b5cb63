import type { Condition, ListQuery, Where } from '@sdk/server'
import { type Column, columnOf, inRow, type Layout } from './layout.ts'
import type { Parameters } from './row-values.ts'

const OPERATORS: Record<Exclude<Condition['operator'], 'in'>, string> = {
  eq: '=',
  ne: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

/** What a list asks of its rows, as SQL. */
export function toConditions(
  layout: Layout,
  { where, conditions }: Pick<ListQuery, 'where' | 'conditions'>,
  parameters: Parameters,
): string[] {
  return [
    ...toWhere(layout, where, parameters),
    ...conditions.map((condition) => toCondition(layout, condition, parameters)),
  ]
}

/** What an access rule asks of rows, as SQL. */
export function toWhere(layout: Layout, where: Where, parameters: Parameters): string[] {
  return Object.entries(where).map(([field, wanted]) => {
    if (wanted === null && isUnmet(layout, field)) return toUnmet(layout, field, parameters)
    const column = columnOf(layout, field)
    const value = inRow(column.name)
    if (wanted === null) return `${value} is null`
    if (wanted === undefined) throw new TypeError(`a rule on ${field} must say a value, or null for none`)
    return isList(wanted)
      ? `${value} = any(${parameters.addList(column, wanted)})`
      : `${value} = ${parameters.add(column, wanted)}`
  })
}

/** `where …`, or nothing where nothing is asked. */
export function joinConditions(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

function toCondition(layout: Layout, condition: Condition, parameters: Parameters): string {
  const column = columnOf(layout, condition.field)
  const value = inRow(column.name)
  return condition.operator === 'in'
    ? `${value} = any(${parameters.addList(column, condition.value)})`
    : `${value} ${OPERATORS[condition.operator]} ${parameters.add(column, condition.value)}`
}

function isUnmet({ columns, toUnmetName }: Layout, field: string): boolean {
  return toUnmetName !== undefined && !columns.some((column) => column.field === field)
}

/** Asked of the row as it is when the statement runs: its column may be made, and filled, a moment before. */
function toUnmet({ toUnmetName = String }: Layout, field: string, parameters: Parameters): string {
  return `(to_jsonb(t) ->> ${parameters.add(NAME, toUnmetName(field))}) is null`
}

const NAME: Column = { field: 'name', name: 'name', type: 'string' }

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}
