import type { Condition, ListQuery, Scalar, Where } from '@sdk/server'
import { type Column, columnOf, cut, CUT_LENGTH, inRow, type Layout } from '../table-layout.ts'
import { type Parameters, toShown } from './row-values.ts'

/** A condition that compares with one value or several. */
type Asked = Exclude<Condition, { operator: 'null' }>
type Comparison = Exclude<Asked, { operator: 'in' }>

const OPERATORS: Record<Comparison['operator'], string> = {
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
    if (wanted === null) return `${column.isCut === true ? cut(value) : value} is null`
    if (wanted === undefined) throw new TypeError(`a rule on ${field} must say a value, or null for none`)
    if (column.isFiner === true) return toShownCondition(column, toEqual(field, wanted), parameters)
    return column.isCut === true ? toCutRule(column, wanted, parameters) : toRule(column, { value, wanted }, parameters)
  })
}

/** By what rows show: a caller cannot ask for digits that it never sees. */
function toShownCondition(column: Column, condition: Asked, parameters: Parameters): string {
  const value = inRow(column.name)
  const shown = toShown(column, value)
  const compared = column.type === 'timestamp' ? column : { ...column, sqlType: 'double precision' }
  if (condition.operator === 'in') return `${shown} = any(${parameters.addList(compared, condition.value)})`
  const wanted = parameters.add(compared, condition.value)
  // A range of the column itself, for which there may be an index.
  if (column.type === 'timestamp') return MOMENTS[condition.operator](value, wanted)
  return `${shown} ${OPERATORS[condition.operator]} ${wanted}`
}

/** A moment that rows show is a millisecond long. */
const MOMENTS: Record<keyof typeof OPERATORS, (value: string, from: string) => string> = {
  eq: (value, from) => `(${value} >= ${from} and ${value} < ${next(from)})`,
  ne: (value, from) => `(${value} >= ${from} and ${value} < ${next(from)}) is not true`,
  gt: (value, from) => `${value} >= ${next(from)}`,
  gte: (value, from) => `${value} >= ${from}`,
  lt: (value, from) => `${value} < ${from}`,
  lte: (value, from) => `${value} < ${next(from)}`,
}

function next(moment: string): string {
  return `${moment} + interval '1 millisecond'`
}

function toRule(
  column: Column,
  { value, wanted }: { value: string; wanted: Scalar | readonly Scalar[] },
  parameters: Parameters,
): string {
  return isList(wanted)
    ? `${value} = any(${parameters.addList(column, wanted)})`
    : `${value} = ${parameters.add(column, wanted)}`
}

function toEqual(field: string, value: Scalar | readonly Scalar[]): Asked {
  return isList(value) ? { field, operator: 'in', value } : { field, operator: 'eq', value }
}

/** By the first characters, as its indexes are. A shorter text is all of them; of a longer one the rest is compared too. */
function toCutRule(column: Column, wanted: Scalar | readonly Scalar[], parameters: Parameters): string {
  const whole = inRow(column.name)
  const texts = (isList(wanted) ? wanted : [wanted]).map(String)
  if (texts.every(({ length }) => length < CUT_LENGTH)) return toRule(column, { value: cut(whole), wanted }, parameters)
  const begins = texts.map((text) => Array.from(text).slice(0, CUT_LENGTH).join(''))
  const rules = [
    toRule(column, { value: cut(whole), wanted: begins }, parameters),
    toRule(column, { value: whole, wanted }, parameters),
  ]
  return rules.join(' and ')
}

/** `where …`, or nothing where nothing is asked. */
export function joinConditions(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

function toCondition(layout: Layout, condition: Condition, parameters: Parameters): string {
  const column = columnOf(layout, condition.field)
  const value = inRow(column.name)
  if (condition.operator === 'null') return `${value} is ${condition.value ? '' : 'not '}null`
  if (column.isFiner === true) return toShownCondition(column, condition, parameters)
  return condition.operator === 'in'
    ? `${value} = any(${parameters.addList(column, condition.value)})`
    : `${value} ${OPERATORS[condition.operator]} ${parameters.add(column, condition.value)}`
}

function isUnmet({ columns, toUnmetName }: Layout, field: string): boolean {
  return toUnmetName !== undefined && !columns.some((column) => column.field === field)
}

/**
 * "Is null" for a field whose column is not known here. Asks the whole row, since another process may have made and
 * filled the column a moment before.
 */
function toUnmet({ toUnmetName = String }: Layout, field: string, parameters: Parameters): string {
  return `(to_jsonb(t) ->> ${parameters.add(NAME, toUnmetName(field))}) is null`
}

const NAME: Column = { field: 'name', name: 'name', type: 'string' }

function isList(value: Where[string]): value is readonly Scalar[] {
  return Array.isArray(value)
}
