import type { ClientBase, Pool, PoolClient } from 'pg'
import pg from 'pg'
import type { PreparedSql } from './database.ts'

/** One statement and its values. */
export interface Query {
  readonly sql: string | PreparedSql
  readonly values: readonly unknown[]
}

type QueryCallback = (error: Error | null, rows: unknown[], command: string) => void

/** The protocol counts them in two bytes; more would be read as another message. */
const MAX_PARAMETERS = 65_535

/**
 * Asks a connection of a pool, and gives it back. By callbacks: the promises of the driver, one to connect and one to
 * ask, cost half of what the question itself does.
 */
export function queryPool(pool: Pool, query: Query): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    pool.connect((failure, client: PoolClient | undefined, release) => {
      if (client === undefined) return reject(failure ?? new Error('the pool gave no connection'))
      sendQuery(client, query, (error, rows) => {
        // The pool itself sees whether the connection broke; one that was only told no is as good as before.
        release()
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
  })
}

/** Asks a connection that is held. */
export function queryClient(client: ClientBase, query: Query): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    sendQuery(client, query, (error, rows) => {
      if (error === null) resolve(rows)
      else reject(error)
    })
  })
}

/** Ends the transaction of a connection; tells whether it was kept. */
export function commit(client: ClientBase): Promise<boolean> {
  return new Promise((resolve, reject) => {
    sendQuery(client, COMMIT, (error, _rows, command) => {
      // One in which a statement failed is rolled back, and that is no error to PostgreSQL.
      if (error === null) resolve(command === 'COMMIT')
      else reject(error)
    })
  })
}

const COMMIT: Query = { sql: 'commit', values: [] }

interface DriverResult {
  readonly rows?: Record<string, unknown>[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly command?: string
}

function sendQuery(client: ClientBase, { sql, values }: Query, callback: QueryCallback): void {
  if (values.length > MAX_PARAMETERS)
    return callback(new TypeError(`a statement takes up to ${MAX_PARAMETERS} values, got ${values.length}`), [], '')
  const text = typeof sql === 'string' ? sql : sql.text
  const query = new pg.Query(text, values as unknown[], (error, result?: DriverResult) =>
    callback(error ?? null, toQueryRows(result ?? {}), result?.command ?? ''),
  )
  // A statement with a name is prepared once a connection. To say it in an object would have the driver copy that.
  if (typeof sql !== 'string') Object.assign(query, { name: sql.name })
  client.query(query)
}

/** The type `bigint`: that of ids, of fields that are integers, and of `count(*)`. */
const BIGINT = 20

/** The driver gives them as texts, while a resource tells the same ids as numbers; those too large for one stay texts. */
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
