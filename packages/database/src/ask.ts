import type { ClientBase, Pool, PoolClient } from 'pg'
import pg from 'pg'
import type { PreparedSql } from './database.ts'

/** One statement and its values. */
export interface Question {
  readonly sql: string | PreparedSql
  readonly values: readonly unknown[]
}

type Answered = (error: Error | null, rows: unknown[]) => void

/**
 * Asks a connection of a pool, and gives it back. By callbacks: the promises of the driver, one to connect and one to
 * ask, cost half of what the question itself does.
 */
export function askPool(pool: Pool, question: Question): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    pool.connect((failure, client: PoolClient | undefined, release) => {
      if (client === undefined) return reject(failure ?? new Error('the pool gave no connection'))
      ask(client, question, (error, rows) => {
        // The pool itself sees whether the connection broke; one that was only told no is as good as before.
        release()
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
  })
}

/** Asks a connection that is held. */
export function askClient(client: ClientBase, question: Question): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    ask(client, question, (error, rows) => {
      if (error === null) resolve(rows)
      else reject(error)
    })
  })
}

function ask(client: ClientBase, { sql, values }: Question, answered: Answered): void {
  const text = typeof sql === 'string' ? sql : sql.text
  const query = new pg.Query(text, values as unknown[], (error, result?: { rows?: unknown[] }) =>
    answered(error ?? null, result?.rows ?? []),
  )
  // A statement with a name is prepared once a connection. To say it in an object would have the driver copy that.
  if (typeof sql !== 'string') Object.assign(query, { name: sql.name })
  client.query(query)
}
