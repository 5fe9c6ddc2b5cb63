import type { ClientBase, Pool, PoolClient } from 'pg'
import pg from 'pg'
import { addStatement } from './sql-error.ts'

/** A named statement, which each connection prepares once. */
export interface PreparedSql {
  readonly name: string
  readonly text: string
  /**
   * Whether all columns of the result are of type `text`. Each row is then an array of strings, and PostgreSQL does not
   * describe the columns for each execution, which saves time in both programs.
   * @default false
   */
  readonly isText?: boolean | undefined
}

/** Returns the text of a statement. */
export function textOfSql(sql: string | PreparedSql): string {
  return typeof sql === 'string' ? sql : sql.text
}

/** One statement and its values. */
export interface Query {
  readonly sql: string | PreparedSql
  readonly values: readonly unknown[]
  /** An error with the caller's stack, which driver errors do not include. */
  readonly caller?: Error | undefined
}

/** A query without result rows that is sent together with the commit of its transaction. */
export interface LastQuery extends Query {
  /** Replaces the error of the query or the commit. */
  toError?(error: Error): Error | undefined
}

type QueryCallback = (error: Error | null, rows: unknown[], command: string) => void

/**
 * The maximum number of parameters. The protocol counts them in two bytes, so a larger number would corrupt the
 * message.
 */
const MAX_PARAMETERS = 65_535

/**
 * Runs a query on a connection from a pool. It uses callbacks, since the overhead of the driver's two promises is half
 * the duration of the query itself.
 */
export function queryPool(pool: Pool, query: Query): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    pool.connect((failure, client: PoolClient | undefined, release) => {
      if (client === undefined) return reject(failure ?? new Error('the pool returned no connection'))
      sendQuery(client, query, (error, rows) => {
        // The pool itself detects broken connections. After a failed statement, the connection is still usable.
        release()
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
  })
}

/** Runs a query on a connection. Also returns PostgreSQL's command tag. */
export function queryClient(client: ClientBase, query: Query): Promise<{ rows: unknown[]; command: string }> {
  return new Promise((resolve, reject) => {
    sendQuery(client, query, (error, rows, command) => {
      if (error === null) resolve({ rows, command })
      else reject(error)
    })
  })
}

/**
 * Runs queries and then commits, in one round trip, and returns PostgreSQL's command tag. If a query fails, PostgreSQL
 * skips the commit.
 */
export function commitClient(client: ClientBase, queries: readonly LastQuery[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const commit = toDriverQuery({ sql: 'commit', values: [] }, (error, _rows, command) => {
      if (error === null) resolve(command)
      else reject(queries.reduce<Error>((found, { toError }) => toError?.(found) ?? found, error))
    })
    const { submit } = commit
    if (queries.length > 0)
      commit.submit = (connection) => {
        const extended = { queryMode: 'extended' }
        const submitAll = (): void => {
          for (const query of queries) Object.assign(toDriverQuery(query, ignore), extended).submit(connection)
          submit.call(Object.assign(commit, extended), connection)
        }
        connection.stream.cork()
        // Only one Sync message is sent, at the end, and nothing is described, since there are no rows.
        without(connection, 'describe', () => without(connection, 'sync', submitAll))
        connection.sync()
        connection.stream.uncork()
        // The driver marks the statement of the query that gets the replies as prepared.
        const [{ sql } = { sql: '' }] = queries
        if (typeof sql !== 'string') Object.assign(commit, sql)
      }
    client.query(commit)
  })
}

interface DriverResult {
  readonly rows?: Record<string, unknown>[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly command?: string
}

function sendQuery(client: ClientBase, query: Query, callback: QueryCallback): void {
  if (query.values.length > MAX_PARAMETERS) {
    const error = new TypeError(`a statement can have at most ${MAX_PARAMETERS} values, got ${query.values.length}`)
    return callback(error, [], '')
  }
  client.query(toDriverQuery(query, callback))
}

function toDriverQuery({ sql, values, caller }: Query, callback: QueryCallback): pg.Query {
  const text = textOfSql(sql)
  const isText = typeof sql !== 'string' && sql.isText === true
  const texts: unknown[] = []
  const query = new pg.Query(text, values as unknown[], (error, results?: DriverResult | DriverResult[]) => {
    const result: DriverResult = (Array.isArray(results) ? results.at(-1) : results) ?? {}
    const rows = isText ? texts : toQueryRows(result)
    callback(error ? addStatement(error, text, caller) : null, rows, result.command ?? '')
  })
  // The name is set here rather than in a configuration object, which the driver would copy.
  if (typeof sql !== 'string') Object.assign(query, { name: sql.name })
  if (isText) readTexts(query, (fields) => void texts.push(fields))
  return query
}

/** Passes the values of each row to `onRow`, without a description of their types. */
function readTexts(query: pg.Query, onRow: (fields: readonly (string | null)[]) => void): void {
  const { submit } = query
  Object.assign(query, {
    handleDataRow: ({ fields }: { fields: readonly (string | null)[] }) => onRow(fields),
    submit: (connection: pg.Connection) => without(connection, 'describe', () => submit.call(query, connection)),
  })
}

/** Runs `work`, during which a connection does not send messages of one kind. */
function without<T>(connection: pg.Connection, message: 'describe' | 'sync', work: () => T): T {
  const messages = connection as unknown as Record<typeof message, unknown>
  const send = messages[message]
  messages[message] = ignore
  try {
    return work()
  } finally {
    messages[message] = send
  }
}

function ignore(): void {}

/** The conversions of values after those of the driver, by the OIDs of their types. */
const CONVERSIONS: ReadonlyMap<number, (value: unknown) => unknown> = new Map([
  [20, toSafeNumber], // bigint, the type of ids, integer fields and `count(*)`
  [1082, toDateText], // date
  [1182, toDateText], // date[]
])

function toQueryRows({ rows = [], fields = [] }: DriverResult): unknown[] {
  for (const { name, dataTypeID } of fields) {
    const convert = CONVERSIONS.get(dataTypeID)
    if (convert !== undefined) for (const row of rows) row[name] = convert(row[name])
  }
  return rows
}

/** Converts a bigint, which the driver returns as a string, to a number if it is a safe integer. */
function toSafeNumber(value: unknown): unknown {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : value
}

/**
 * Converts a date, which the driver returns as midnight in the time zone of the process, to text: as JSON, that time may
 * be on the day before.
 */
function toDateText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDateText)
  if (!(value instanceof Date) || value.getFullYear() < 1) return value
  const [year, month, day] = [value.getFullYear(), value.getMonth() + 1, value.getDate()].map(String)
  return `${year?.padStart(4, '0')}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
}
