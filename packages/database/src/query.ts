import type { ClientBase, Pool, PoolClient } from 'pg'
import pg from 'pg'
import { addStatement } from './sql-error.ts'

/** A named statement, which each connection prepares once. */
export interface PreparedSql {
  readonly name: string
  readonly text: string
}

/** One statement and its values. */
export interface Query {
  readonly sql: string | PreparedSql
  readonly values: readonly unknown[]
  /** An error with the caller's stack, which driver errors do not include. */
  readonly caller?: Error | undefined
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

interface DriverResult {
  readonly rows?: Record<string, unknown>[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly command?: string
}

function sendQuery(client: ClientBase, { sql, values, caller }: Query, callback: QueryCallback): void {
  if (values.length > MAX_PARAMETERS) {
    const error = new TypeError(`a statement can have at most ${MAX_PARAMETERS} values, got ${values.length}`)
    return callback(error, [], '')
  }
  const text = typeof sql === 'string' ? sql : sql.text
  const query = new pg.Query(text, values as unknown[], (error, result?: DriverResult) =>
    callback(error ? addStatement(error, text, caller) : null, toQueryRows(result ?? {}), result?.command ?? ''),
  )
  // The name is set here rather than in a configuration object, which the driver would copy.
  if (typeof sql !== 'string') Object.assign(query, { name: sql.name })
  client.query(query)
}

/** The OID of the type `bigint`, which is used for ids, integer fields and `count(*)`. */
const BIGINT = 20

/** Converts bigints, which the driver returns as strings, to numbers if they are safe integers. */
function toQueryRows({ rows = [], fields = [] }: DriverResult): unknown[] {
  for (const { name, dataTypeID } of fields) {
    if (dataTypeID === BIGINT) for (const row of rows) row[name] = toSafeNumber(row[name])
  }
  return rows
}

function toSafeNumber(value: unknown): unknown {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : value
}
