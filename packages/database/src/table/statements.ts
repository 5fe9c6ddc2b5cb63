import type { Fields, ListQuery, Target } from '@sdk/server'
import { joinConditions, toConditions, toWhere } from './conditions.ts'
import { toOrder, toRanges } from './keyset.ts'
import { type Column, columnOf, inRow, type Layout, quote, type Statement } from '../table-layout.ts'
import { Parameters, sqlTypeOf, toInner, toOutput, toWhole } from './row-values.ts'

/** Writes the statements of a table. */
export interface Statements {
  list(query: ListQuery): Statement
  count(query: ListQuery): Statement
  get(target: Target): Statement
  create(values: Fields): Statement
  replace(target: Target, values: Fields): Statement
  delete(target: Target): Statement
}

/** The statements of a table. */
export function createStatements(layout: Layout): Statements {
  return { ...createReads(layout), ...createWrites(layout) }
}

function createReads(layout: Layout): Pick<Statements, 'list' | 'count' | 'get'> {
  const { table } = layout
  const output = toOutput(layout)
  const inner = toInner(layout)
  const textOf = createTexts()

  return {
    list(query) {
      const parameters = new Parameters()
      const conditions = toConditions(layout, query, parameters)
      const ranges = toRanges(layout, query, parameters)
      const tail = `${toOrder(layout, query.sort)} limit ${assertLimit(query.limit)}`
      const from = (range: string | undefined): string =>
        `from ${table} t${joinConditions(range === undefined ? conditions : [...conditions, range])}${tail}`
      if (ranges.length < 2) return { text: toWhole(layout, from(ranges[0])), values: parameters.values }
      const parts = ranges.map((range) => `(select ${inner} ${from(range)})`).join(' union all ')
      return { text: toWhole(layout, `from (${parts}) t${tail}`), values: parameters.values }
    },
    count(query) {
      const parameters = new Parameters()
      const conditions = joinConditions(toConditions(layout, query, parameters))
      return { text: `select count(*) as "total" from ${table} t${conditions}`, values: parameters.values }
    },
    get(target) {
      const parameters = new Parameters()
      const conditions = toTarget(layout, target, parameters)
      const text = textOf(`get ${conditions.length === 1}`, conditions.length === 1, () => {
        return `select ${output} from ${table} t${joinConditions(conditions)}`
      })
      return { text, values: parameters.values }
    },
  }
}

function createWrites(layout: Layout): Pick<Statements, 'create' | 'replace' | 'delete'> {
  const { table, version } = layout
  const output = toOutput(layout)
  const [createdAt, updatedAt] = [columnOf(layout, 'createdAt'), columnOf(layout, 'updatedAt')]
  const created = [createdAt, updatedAt].map((column) => ({ column, sql: nowOf(column, 'statement_timestamp()') }))
  const updated = `${quote(updatedAt.name)} = ${laterThan(updatedAt)}`
  const counted = version === null ? [] : [`${quote(version)} = ${inRow(version)} + 1`]
  const textOf = createTexts()

  return {
    create(fields) {
      const parameters = new Parameters()
      const entries = toEntries(layout, fields, parameters)
      const text = textOf(`create ${entries.map(fieldOf).join()}`, true, () => {
        const all = [...entries, ...created]
        const names = [...all.map(({ column }) => quote(column.name)), ...(version === null ? [] : [quote(version)])]
        const values = [...all.map(({ sql }) => sql), ...(version === null ? [] : ['1'])]
        return `insert into ${table} as t (${names.join(', ')}) values (${values.join(', ')}) returning ${output}`
      })
      return { text, values: parameters.values }
    },
    replace(target, fields) {
      const parameters = new Parameters()
      const entries = toEntries(layout, fields, parameters)
      const conditions = toTarget(layout, target, parameters)
      const isPlain = target.version !== undefined && conditions.length === 2
      const text = textOf(`replace ${entries.map(fieldOf).join()}`, isPlain, () => {
        const changes = entries.map(({ column, sql }) => `${quote(column.name)} = ${sql}`)
        const set = [...changes, updated, ...counted].join(', ')
        return `update ${table} as t set ${set}${joinConditions(conditions)} returning ${output}`
      })
      return { text, values: parameters.values }
    },
    delete(target) {
      const parameters = new Parameters()
      const conditions = joinConditions(toTarget(layout, target, parameters))
      return { text: `delete from ${table} as t${conditions} returning ${output}`, values: parameters.values }
    },
  }
}

/** Asks for no row, to see whether the table has every column. */
export function toProbe(layout: Layout): Statement {
  const unread = layout.columns.map(({ name }) => inRow(name))
  return { text: `select ${[toOutput(layout), ...unread].join(', ')} from ${layout.table} t limit 0`, values: [] }
}

/** Texts that are needed again and again are made once: one of the same form differs in its values alone. */
function createTexts(): (form: string, isPlain: boolean, make: () => string) => string {
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

function fieldOf({ column }: { column: Column }): string {
  return column.field
}

/** What a new or changed row gets of a caller's values. */
function toEntries(layout: Layout, fields: Fields, parameters: Parameters): { column: Column; sql: string }[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      const column = columnOf(layout, field)
      return { column, sql: parameters.add(column, value) }
    })
}

function toTarget(layout: Layout, { id, where, version }: Target, parameters: Parameters): string[] {
  const column = columnOf(layout, 'id')
  const wanted = [`${inRow(column.name)} = ${parameters.add(column, id)}`, ...toWhere(layout, where, parameters)]
  if (version === undefined) return wanted
  const current = `${layout.version === null ? 't.xmin' : inRow(layout.version)}::text`
  return [...wanted, `${current} = ${parameters.add(VERSION, version)}`]
}

/** Compared as text: one that cannot be is no error, only another. */
const VERSION: Column = { field: 'version', name: 'version', type: 'string' }

/** A page is a literal, not a parameter: a plan for any number of rows would expect a tenth of the table. */
function assertLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new TypeError(`a limit is a whole number, got ${limit}`)
  return limit
}

function nowOf(column: Column, clock: string): string {
  return `date_trunc('milliseconds', ${sqlTypeOf(column) === 'timestamptz' ? clock : `${clock} at time zone 'UTC'`})`
}

/** Now, or a little after the last change: no two changes of a row have one time. */
function laterThan(column: Column): string {
  const last = `date_trunc('milliseconds', ${inRow(column.name)})`
  return `greatest(${nowOf(column, 'clock_timestamp()')}, ${last} + interval '1 millisecond')`
}
