import type { Fields, ListQuery, Target } from '@sdk/server'
import { joinConditions, toConditions, toWhereConditions } from './conditions.ts'
import { toOrder, toRanges } from './keyset.ts'
import { toRelatedSql } from './related-sql.ts'
import type { RelatedTable } from './related-tables.ts'
import { type LayoutColumn, columnOf, inRow, type Layout, quoteIdent, type Statement } from '../table-layout.ts'
import { toBoundedRowsStatement, toRowsStatement } from './page-rows.ts'
import { Parameters, toValueType, toRowColumns, toRowOutput } from './row-values.ts'

/** The functions that create a table's statements. */
export interface Statements {
  list(query: ListQuery, related?: readonly RelatedTable[]): Statement
  count(query: ListQuery): Statement
  get(target: Target, related?: readonly RelatedTable[]): Statement
  create(values: Fields): Statement
  replace(target: Target, values: Fields): Statement
  delete(target: Target): Statement
}

/** Returns the functions that create a table's statements. */
export function createStatements(layout: Layout): Statements {
  const { table, version } = layout
  const output = toRowOutput(layout)
  const [textOf, listTextOf] = [createTextCache(), createTextCache()]
  const toStatement = createStatementMaker(layout)
  const created = [
    ...['createdAt', 'updatedAt'].map((field) => {
      const column = columnOf(layout, field)
      return { name: quoteIdent(column.name), sql: toCurrentTime(column, 'statement_timestamp()') }
    }),
    ...(version === null ? [] : [{ name: quoteIdent(version), sql: '1' }]),
  ]
  const updatedAt = columnOf(layout, 'updatedAt')
  const updated = [
    `${quoteIdent(updatedAt.name)} = ${toLaterTime(updatedAt)}`,
    ...(version === null ? [] : [`${quoteIdent(version)} = ${inRow(version)} + 1`]),
  ]

  return {
    list: (query, related = []) =>
      toStatement((parameters) => toListText(layout, query, { parameters, related, listTextOf })),
    count: (query) =>
      toStatement((parameters) => {
        const conditions = joinConditions(toConditions(layout, query, parameters))
        return `select count(*)::text as "total" from ${table} t${conditions}`
      }),
    get: (target, related = []) =>
      toStatement((parameters) => {
        const conditions = toTargetConditions(layout, target, parameters)
        const isPlain = conditions.length === 1 && related.length === 0
        const { join, values } = toRelatedSql(layout, related, { parameters, maxBytes: target.maxBytes })
        const from = `from ${table} t${join}${joinConditions(conditions)}`
        return textOf('get', isPlain, () => `select ${toRowOutput(layout, values)} ${from}`)
      }),
    create: (fields) =>
      toStatement((parameters) => {
        const entries = toEntries(layout, fields, parameters)
        return textOf(`create ${entries.map(({ field }) => field).join()}`, true, () => {
          const all = [...entries, ...created]
          const [names, values] = [all.map(({ name }) => name), all.map(({ sql }) => sql)]
          return `insert into ${table} as t (${names.join(', ')}) values (${values.join(', ')}) returning ${output}`
        })
      }),
    replace: (target, fields) =>
      toStatement((parameters) => {
        const entries = toEntries(layout, fields, parameters)
        const conditions = toTargetConditions(layout, target, parameters)
        const isPlain = target.version !== undefined && conditions.length === 2
        return textOf(`replace ${entries.map(({ field }) => field).join()}`, isPlain, () => {
          const set = [...entries.map(({ name, sql }) => `${name} = ${sql}`), ...updated].join(', ')
          return `update ${table} as t set ${set}${joinConditions(conditions)} returning ${output}`
        })
      }),
    delete: (target) =>
      toStatement((parameters) => {
        const conditions = joinConditions(toTargetConditions(layout, target, parameters))
        return `delete from ${table} as t${conditions} returning ${output}`
      }),
  }
}

function createStatementMaker({ sendsStrings = false }: Layout) {
  return (textOfSql: (parameters: Parameters) => string): Statement => {
    const parameters = new Parameters({ areTyped: sendsStrings })
    return { text: textOfSql(parameters), values: parameters.values, isText: true }
  }
}

function toListText(
  layout: Layout,
  query: ListQuery,
  { parameters, related: tables, listTextOf }: ListContext,
): string {
  const conditions = toConditions(layout, query, parameters)
  const ranges = toRanges(layout, query, parameters)
  const tail = `${toOrder(layout, query.sort)} limit ${assertLimit(query.limit)}`
  const maxBytes = query.maxBytes === undefined ? undefined : assertLimit(query.maxBytes)
  const from = (range: string | undefined): string =>
    `from ${layout.table} t${joinConditions(range === undefined ? conditions : [...conditions, range])}${tail}`
  const sources = ranges.length === 0 ? [from(undefined)] : ranges.map(from)
  const related = toRelatedSql(layout, tables, { parameters, maxBytes, pageRows: query.limit })
  return listTextOf(`${maxBytes} ${sources.join()}`, tables.length === 0, () => {
    const parts = sources.map((source) => `(select ${toRowColumns(layout)} ${source})`).join(' union all ')
    const source = ranges.length < 2 ? sources.join() : `from (${parts}) t${tail}`
    return maxBytes === undefined
      ? toRowsStatement(layout, source, related)
      : toBoundedRowsStatement(layout, source, { ...related, maxBytes })
  })
}

interface ListContext {
  readonly parameters: Parameters
  readonly related: readonly RelatedTable[]
  /** Returns the cached SQL for the rows of a source, since creating and comparing it takes as long as the rest. */
  readonly listTextOf: TextCache
}

/** Creates a statement that selects no rows, to check that the table has every column. */
export function toProbe(layout: Layout): Statement {
  const unread = layout.columns.map(({ name }) => inRow(name))
  return { text: `select ${[toRowOutput(layout), ...unread].join(', ')} from ${layout.table} t limit 0`, values: [] }
}

type TextCache = (form: string, isPlain: boolean, make: () => string) => string

/** Creates a cache for the SQL of statements, since statements of the same form differ only in their values. */
function createTextCache(): TextCache {
  const texts = new Map<string, string>()
  return (form, isPlain, make) => {
    const known = isPlain ? texts.get(form) : undefined
    if (known !== undefined) return known
    const text = make()
    if (isPlain && texts.size < MAX_TEXTS) texts.set(form, text)
    return text
  }
}

const MAX_TEXTS = 100

function toEntries(layout: Layout, fields: Fields, parameters: Parameters) {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      const column = columnOf(layout, field)
      return { field, name: quoteIdent(column.name), sql: parameters.add(column, value) }
    })
}

function toTargetConditions(layout: Layout, { id, where, version }: Target, parameters: Parameters): string[] {
  const column = columnOf(layout, 'id')
  const conditions = [
    `${inRow(column.name)} = ${parameters.add(column, id)}`,
    ...toWhereConditions(layout, where, parameters),
  ]
  if (version === undefined) return conditions
  const current = `${layout.version === null ? 't.xmin' : inRow(layout.version)}::text`
  return [...conditions, `${current} = ${parameters.add(VERSION_PARAMETER, version)}`]
}

/** The parameter for a version. It is compared as a string, so that an invalid version causes no error. */
const VERSION_PARAMETER: LayoutColumn = { field: 'version', name: 'version', type: 'string' }

/**
 * Checks a limit. Limits are written as literals: for a parameter, a generic plan would assume a tenth of the table's
 * rows.
 */
function assertLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw new TypeError(`a limit must be a non-negative integer, got ${limit}`)
  return limit
}

function toCurrentTime(column: LayoutColumn, clock: string): string {
  return `date_trunc('milliseconds', ${toValueType(column) === 'timestamptz' ? clock : `${clock} at time zone 'UTC'`})`
}

/**
 * Returns the SQL for the current time, or a time just after the last change, so that two changes to a row never have
 * the same time.
 */
function toLaterTime(column: LayoutColumn): string {
  const last = `date_trunc('milliseconds', ${inRow(column.name)})`
  return `greatest(${toCurrentTime(column, 'clock_timestamp()')}, ${last} + interval '1 millisecond')`
}
