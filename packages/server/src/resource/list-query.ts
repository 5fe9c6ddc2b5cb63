import { MAX_DETAILS, PAGE_LIMIT, type ErrorDetail } from '@sdk/protocol'
import { validationError } from '../http/http-error.ts'
import { unknownParameter } from '../schema/unknown-fields.ts'
import { isValueIssue, parseScalar, type ValueIssue } from './field-value.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { parseSortKeys, withIdKey } from '../define/sort-keys.ts'
import { parseExpand } from './expand.ts'
import type { Condition, Field, ListQuery, ResourceShape, Scalar, SortKey } from '../define/store.ts'

/** The parsed query string of a list request; the cursor is not decoded yet. */
export interface ListRequest extends Pick<ListQuery, 'limit' | 'sort' | 'conditions' | 'isCounted'> {
  readonly cursor: string | null
  /** The names of the relations and computed values to add to the rows. */
  readonly expand: readonly string[]
}

const MAX_SORT_KEYS = 3
const MAX_IN = 100

const FILTER_OPERATORS = ['ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'] as const

interface Filter {
  readonly field: Field
  readonly operator: Condition['operator']
}

/** Creates a parser for the query strings of list requests. It throws a single 400 error that lists all issues. */
export function createListQueryParser(
  shape: ResourceShape,
  expandable: readonly string[] = [],
): (query: Readonly<Record<string, string>>) => ListRequest {
  const known = new Map([...shape.fields, ...SYSTEM_FIELDS].map((field) => [field.name, field]))
  const filters = new Map(shape.filter.flatMap((name) => toFilters(known.get(name))))
  const sortable = new Set(['id', ...shape.sort])
  const reserved = new Set([...PAGE_PARAMETERS, ...(expandable.length === 0 ? [] : ['expand'])])
  const parameters = [...reserved, ...shape.filter]

  return (query) => {
    const issues: ErrorDetail[] = []
    const report: ReportIssue = (name, issue) => void issues.push({ source: 'query', name, ...issue })
    const conditions: Condition[] = []
    for (const name in query) {
      if (issues.length >= MAX_DETAILS) break
      const filter = filters.get(name)
      if (filter !== undefined)
        conditions.push(...parseCondition(filter, query[name] ?? '', (issue) => report(name, issue)))
      else if (!reserved.has(name)) issues.push(unknownParameter(name, parameters))
    }
    const request = {
      limit: toLimit(query['limit'], report),
      sort: toSort(query['sort'], sortable, report),
      isCounted: toFlag(query['count'], report),
      cursor: query['cursor'] ?? null,
      expand: parseExpand(query['expand'], expandable, (issue) => report('expand', issue)),
      conditions,
    }
    if (request.cursor === '') report('cursor', { code: 'INVALID_CURSOR', message: 'is empty' })
    if (issues.length > 0) throw validationError(issues)
    return request
  }
}

/** Returns the filter operators that a field supports, in addition to equality. */
export function operatorsOf({ type, isNullable }: Field): (typeof FILTER_OPERATORS)[number][] {
  return FILTER_OPERATORS.filter((operator) => {
    if (operator === 'null') return isNullable
    // Booleans have no order.
    return type !== 'boolean' || operator === 'ne' || operator === 'in'
  })
}

const PAGE_PARAMETERS: readonly string[] = ['limit', 'cursor', 'sort', 'count']

type ReportIssue = (name: string, issue: QueryIssue) => void

interface QueryIssue extends ValueIssue {
  readonly [more: string]: unknown
}

function toFilters(field: Field | undefined): [string, Filter][] {
  if (field === undefined) return []
  return [
    [field.name, { field, operator: 'eq' }],
    ...operatorsOf(field).map((operator): [string, Filter] => [`${field.name}[${operator}]`, { field, operator }]),
  ]
}

function parseCondition({ field, operator }: Filter, text: string, report: (issue: QueryIssue) => void): Condition[] {
  const texts = operator === 'in' ? text.split(',') : [text]
  if (texts.length > MAX_IN) {
    report({ code: 'TOO_LONG', message: `must have at most ${MAX_IN} values`, max: MAX_IN })
    return []
  }
  const values: Scalar[] = []
  for (const one of texts) {
    const value = parseScalar(one, operator === 'null' ? 'boolean' : field.type)
    if (isValueIssue(value)) report({ ...value })
    else values.push(value)
  }
  if (operator === 'in') return [{ field: field.name, operator, value: values }]
  if (operator === 'null') return values.map((value) => ({ field: field.name, operator, value: value === true }))
  return values.map((value) => ({ field: field.name, operator, value }))
}

function toLimit(text: string | undefined, report: ReportIssue): number {
  if (text === undefined) return PAGE_LIMIT.default
  const { max } = PAGE_LIMIT
  if (!/^\d{1,9}$/.test(text))
    report('limit', { code: 'INVALID_FORMAT', message: `must be an integer from 1 to ${max}` })
  else if (Number(text) < 1) report('limit', { code: 'TOO_SMALL', message: 'must be at least 1', min: 1 })
  else if (Number(text) > max) report('limit', { code: 'TOO_LARGE', message: `must be at most ${max}`, max })
  return Number(text)
}

function toFlag(text: string | undefined, report: ReportIssue): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false')
    report('count', { code: 'INVALID_FORMAT', message: 'must be true or false' })
  return text === 'true'
}

/** Parses a list's sort order, which always ends with the id. */
function toSort(text: string | undefined, sortable: ReadonlySet<string>, report: ReportIssue): SortKey[] {
  const keys = parseSortKeys(text ?? 'id')
  const allowed = [...sortable]
  if (keys.length > MAX_SORT_KEYS)
    report('sort', { code: 'INVALID_SORT', message: `must have at most ${MAX_SORT_KEYS} fields`, max: MAX_SORT_KEYS })
  else if (keys.some(({ field }) => !sortable.has(field)))
    report('sort', { code: 'INVALID_SORT', message: `must contain only ${allowed.join(', ')}`, allowed })
  else if (new Set(keys.map(({ field }) => field)).size < keys.length)
    report('sort', { code: 'INVALID_SORT', message: 'contains duplicate fields' })
  return withIdKey(keys)
}
