import type { Condition, ListQuery, Scalar, Where } from '@sdk/server'
import { type LayoutColumn, columnOf, cut, CUT_LENGTH, inRow, type Layout } from '../table-layout.ts'
import { type Parameters, toRowPrecision } from './row-values.ts'

type ValueCondition = Exclude<Condition, { operator: 'null' }>
type ScalarCondition = Exclude<ValueCondition, { operator: 'in' }>

const SQL_OPERATORS: Record<ScalarCondition['operator'], string> = {
  eq: '=',
  ne: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

/** Returns the SQL conditions for a list. */
export function toConditions(
  layout: Layout,
  { where, conditions }: Pick<ListQuery, 'where' | 'conditions'>,
  parameters: Parameters,
): string[] {
  return [
    ...toWhereConditions(layout, where, parameters),
    ...conditions.map((condition) => toConditionSql(layout, condition, parameters)),
  ]
}

/** Returns the SQL conditions for an access rule. */
export function toWhereConditions(layout: Layout, where: Where, parameters: Parameters): string[] {
  return Object.entries(where).map(([field, expected]) => {
    if (expected === null && isUnknownField(layout, field)) return toUnknownIsNull(layout, field, parameters)
    const column = columnOf(layout, field)
    const value = inRow(column.name)
    if (expected === null) return `${column.isCut === true ? cut(value) : value} is null`
    if (expected === undefined)
      throw new TypeError(`a rule for ${field} must have a value, got undefined: use null for rows without a value`)
    if (column.hasExtraPrecision === true)
      return toRoundedCondition(column, toEqualCondition(field, expected), parameters)
    return column.isCut === true
      ? toCutEquality(column, expected, parameters)
      : toEquality(column, { value, wanted: expected }, parameters)
  })
}

/** Returns a condition on the rounded value that rows contain, since callers never see the remaining digits. */
function toRoundedCondition(column: LayoutColumn, condition: ValueCondition, parameters: Parameters): string {
  const value = inRow(column.name)
  const rounded = toRowPrecision(column, value)
  const compared = column.type === 'timestamp' ? column : { ...column, sqlType: 'double precision' }
  if (condition.operator === 'in') return parameters.isIn(rounded, compared, condition.value)
  const expected = parameters.add(compared, condition.value)
  // Compares a range of the column itself, which may be indexed.
  if (column.type === 'timestamp') return TIMESTAMP_CONDITIONS[condition.operator](value, expected)
  return `${rounded} ${SQL_OPERATORS[condition.operator]} ${expected}`
}

/** The conditions for timestamps. A timestamp in a row represents a range of one millisecond. */
const TIMESTAMP_CONDITIONS: Record<keyof typeof SQL_OPERATORS, (value: string, from: string) => string> = {
  eq: (value, from) => `(${value} >= ${from} and ${value} < ${nextMillisecond(from)})`,
  ne: (value, from) => `(${value} >= ${from} and ${value} < ${nextMillisecond(from)}) is not true`,
  gt: (value, from) => `${value} >= ${nextMillisecond(from)}`,
  gte: (value, from) => `${value} >= ${from}`,
  lt: (value, from) => `${value} < ${from}`,
  lte: (value, from) => `${value} < ${nextMillisecond(from)}`,
}

function nextMillisecond(moment: string): string {
  return `${moment} + interval '1 millisecond'`
}

function toEquality(
  column: LayoutColumn,
  { value, wanted }: { value: string; wanted: Scalar | readonly Scalar[] },
  parameters: Parameters,
): string {
  return isScalarList(wanted) ? parameters.isIn(value, column, wanted) : `${value} = ${parameters.add(column, wanted)}`
}

function toEqualCondition(field: string, value: Scalar | readonly Scalar[]): ValueCondition {
  return isScalarList(value) ? { field, operator: 'in', value } : { field, operator: 'eq', value }
}

/** Compares the first characters, which are indexed. For longer strings, also compares the entire value. */
function toCutEquality(column: LayoutColumn, wanted: Scalar | readonly Scalar[], parameters: Parameters): string {
  const whole = inRow(column.name)
  const texts = (isScalarList(wanted) ? wanted : [wanted]).map(String)
  if (texts.every(({ length }) => length < CUT_LENGTH))
    return toEquality(column, { value: cut(whole), wanted }, parameters)
  const begins = texts.map((text) => Array.from(text).slice(0, CUT_LENGTH).join(''))
  const begin = toEquality(column, { value: cut(whole), wanted: begins }, parameters)
  return `${begin} and ${toEquality(column, { value: whole, wanted }, parameters)}`
}

/** Returns `where …`, or an empty string if there are no conditions. */
export function joinConditions(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

function toConditionSql(layout: Layout, condition: Condition, parameters: Parameters): string {
  const column = columnOf(layout, condition.field)
  const value = inRow(column.name)
  if (condition.operator === 'null') return `${value} is ${condition.value ? '' : 'not '}null`
  if (column.hasExtraPrecision === true) return toRoundedCondition(column, condition, parameters)
  return condition.operator === 'in'
    ? parameters.isIn(value, column, condition.value)
    : `${value} ${SQL_OPERATORS[condition.operator]} ${parameters.add(column, condition.value)}`
}

function isUnknownField({ columns, toUnknownName }: Layout, field: string): boolean {
  return toUnknownName !== undefined && !columns.some((column) => column.field === field)
}

/**
 * Returns a condition that checks whether an unknown field is null. It reads the entire row, since another process may
 * have just created and filled the column.
 */
function toUnknownIsNull({ toUnknownName = String }: Layout, field: string, parameters: Parameters): string {
  return `(to_jsonb(t) ->> ${parameters.add(NAME_COLUMN, toUnknownName(field))}) is null`
}

const NAME_COLUMN: LayoutColumn = { field: 'name', name: 'name', type: 'string' }

/** Returns whether a rule has a list of values instead of a single value. */
export function isScalarList(value: Where[string]): value is readonly Scalar[] {
  return Array.isArray(value)
}
