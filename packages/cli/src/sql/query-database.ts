import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadDatabasePackage, type SqlRow } from '../database-package.ts'
import { Failure } from '../failure.ts'
import { findHint } from '../log-hints.ts'

/** A statement to run on a project's database. */
export interface SqlStatement {
  readonly sql: string
  /** Whether the statement may change data. */
  readonly canWrite: boolean
}

/** Returns whether a URL points to an embedded database, which only one process can open at a time. */
export function isEmbedded(url: string): boolean {
  return url.startsWith('pglite:')
}

/** Returns the URL of a project's database, following the same rule as `@sdk/database`. */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return env['DATABASE_URL'] || 'pglite://.sdk/data'
}

/** Runs a statement on a project's database, in this process. */
export async function queryDatabase(root: string, { sql, canWrite }: SqlStatement): Promise<SqlRow[]> {
  const url = databaseUrl()
  assertDatabaseExists(root, url)
  const { openDatabase } = await loadDatabasePackage(join(root, 'package.json'))
  let database: ReturnType<typeof openDatabase> | undefined
  try {
    database = openDatabase(isEmbedded(url) ? `pglite://${resolve(root, url.slice('pglite://'.length))}` : url)
    const run = async ({ query }: { query(sql: string | object): Promise<SqlRow[]> }): Promise<SqlRow[]> => {
      if (!canWrite) await query('set transaction read only')
      // A named query can contain only one statement. A second statement could end the transaction and then write.
      const rows = await query({ name: `sdk-sql-${randomUUID()}`, text: sql })
      // The rollback also reverts settings that the statement changed: in a dev server, the app uses the same
      // connection.
      if (!canWrite) await query('rollback')
      return rows
    }
    return await database.transaction(run, { timeout: 0 })
  } catch (error) {
    throw toSqlFailure(error)
  } finally {
    await database?.close()
  }
}

/** Throws if the database does not exist yet: a query must not create it. */
export function assertDatabaseExists(root: string, url: string): void {
  const isMemory = url === 'pglite://memory'
  if (!isEmbedded(url) || (!isMemory && existsSync(resolve(root, url.slice('pglite://'.length))))) return
  const message = isMemory
    ? 'an in-memory database is only visible to its own process'
    : 'the database does not exist yet'
  const fix = isMemory ? 'unset DATABASE_URL to store the database in .sdk/data' : 'sdk dev creates it on first use'
  throw new Failure(message, { code: 'NO_DATABASE', fix })
}

function toSqlFailure(error: unknown): Failure {
  const { message, cause } = error as Error
  const { code = '', hint } = (cause ?? error) as { code?: string; hint?: string }
  // The cause explains why a database cannot be reached.
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new Failure(text, {
    code: 'SQL_FAILED',
    fix: hint ?? FIX_BY_SQLSTATE[code] ?? findHint(text, undefined),
    cause: error,
  })
}

const FIX_BY_SQLSTATE: Readonly<Record<string, string>> = {
  '08P01': 'put the values in the statement: parameters such as $1 are not supported',
  '25006': 'add --write to change rows: sdk sql is read-only by default',
  '42601': 'pass one valid PostgreSQL statement',
  '42P01': `list the tables: sdk sql "select table_name from information_schema.tables where table_schema = 'public'"`,
}
