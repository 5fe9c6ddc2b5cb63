import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from '../failure.ts'
import { findHint } from '../log-hints.ts'

/** One statement for the database of a project. */
export interface SqlStatement {
  readonly sql: string
  /** May it change rows? */
  readonly canWrite: boolean
}

/** A row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>

/** The part of the project's own `@sdk/database` that we use. In a dev server, this copy has the database open already. */
interface DatabasePackage {
  openDatabase(url: string): {
    transaction<T>(work: (inside: { query(sql: string | object): Promise<SqlRow[]> }) => Promise<T>): Promise<T>
    close(): Promise<void>
  }
}

/** Is it an embedded database, which only one process can open? */
export function isEmbedded(url: string): boolean {
  return url.startsWith('pglite:')
}

/** The URL of a project's database, by the same rule as in `@sdk/database`. */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return env['DATABASE_URL'] || 'pglite://.sdk/data'
}

/** Runs a statement on the database of a project, from within this process. */
export async function queryDatabase(root: string, { sql, canWrite }: SqlStatement): Promise<SqlRow[]> {
  const url = databaseUrl()
  assertDatabaseExists(root, url)
  const { openDatabase } = await loadDatabasePackage(root)
  let database: ReturnType<DatabasePackage['openDatabase']> | undefined
  try {
    database = openDatabase(isEmbedded(url) ? `pglite://${resolve(root, url.slice('pglite://'.length))}` : url)
    return await database.transaction(async ({ query }) => {
      if (!canWrite) await query('set transaction read only')
      // A named query can hold only one statement: a second one could end the transaction and then write.
      const rows = await query({ name: `sdk-sql-${randomUUID()}`, text: sql })
      // Takes back what it set, too: in a dev server the app has the same connection.
      if (!canWrite) await query('rollback')
      return rows
    })
  } catch (error) {
    throw toSqlFailure(error)
  } finally {
    await database?.close()
  }
}

async function loadDatabasePackage(root: string): Promise<DatabasePackage> {
  let path: string
  try {
    path = createRequire(join(root, 'package.json')).resolve('@sdk/database')
  } catch {
    const fix = 'npm install @sdk/database'
    throw new Failure('the project has no @sdk/database', { code: 'PACKAGE_MISSING', fix })
  }
  return (await import(pathToFileURL(path).href)) as DatabasePackage
}

/** Fails where there is no database yet: looking at one must not create it. */
function assertDatabaseExists(root: string, url: string): void {
  const isMemory = url === 'pglite://memory'
  if (!isEmbedded(url) || (!isMemory && existsSync(resolve(root, url.slice('pglite://'.length))))) return
  const message = isMemory ? 'only its own process can see a database in memory' : 'there is no database yet'
  const fix = isMemory
    ? 'leave DATABASE_URL out to keep the database in .sdk/data'
    : 'sdk dev makes it when it is needed'
  throw new Failure(message, { code: 'NO_DATABASE', fix })
}

function toSqlFailure(error: unknown): Failure {
  const { message, cause } = error as Error
  const { code = '', hint } = (cause ?? error) as { code?: string; hint?: string }
  // Why a database cannot be reached is told by the cause.
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new Failure(text, {
    code: 'SQL_FAILED',
    fix: hint ?? FIX_BY_SQLSTATE[code] ?? findHint(text, undefined),
    cause: error,
  })
}

const FIX_BY_SQLSTATE: Readonly<Record<string, string>> = {
  '08P01': 'write values into the statement: nothing stands for $1',
  '25006': 'sdk sql only reads, unless you add --write',
  '42601': 'it takes one statement at a time, in the SQL of PostgreSQL',
  '42P01': `what tables there are: sdk sql "select table_name from information_schema.tables where table_schema = 'public'"`,
}
