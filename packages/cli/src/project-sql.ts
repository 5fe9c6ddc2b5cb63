import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from './failure.ts'
import { hintOf } from './log-hints.ts'

/** One statement for the database of a project. */
export interface SqlQuestion {
  readonly sql: string
  /** May it change rows? */
  readonly canWrite: boolean
}

/** A row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>

/** What we use of `@sdk/database`, which is the project's own: in a dev server, its database is open there already. */
interface DatabasePackage {
  openDatabase(url: string): {
    transaction<T>(work: (inside: { query(sql: string | object): Promise<SqlRow[]> }) => Promise<T>): Promise<T>
    close(): Promise<void>
  }
}

/** Is it a database that one process alone can open? */
export function isEmbedded(url: string): boolean {
  return url.startsWith('pglite:')
}

/** The database of a project, as its packages choose it. */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return env['DATABASE_URL'] || 'pglite://.sdk/data'
}

/** Asks the database of a project from within this process. */
export async function askDatabase(root: string, { sql, canWrite }: SqlQuestion): Promise<SqlRow[]> {
  const url = databaseUrl()
  assertThere(root, url)
  const { openDatabase } = await load(root)
  let database: ReturnType<DatabasePackage['openDatabase']> | undefined
  try {
    database = openDatabase(isEmbedded(url) ? `pglite://${resolve(root, url.slice('pglite://'.length))}` : url)
    return await database.transaction(async ({ query }) => {
      if (!canWrite) await query('set transaction read only')
      // A statement that has a name is one statement: two could end the transaction, and write after it.
      const rows = await query({ name: `sdk-sql-${randomUUID()}`, text: sql })
      // Takes back what it set, too: in a dev server the app has the same connection.
      if (!canWrite) await query('rollback')
      return rows
    })
  } catch (error) {
    throw toFailure(error)
  } finally {
    await database?.close()
  }
}

async function load(root: string): Promise<DatabasePackage> {
  let path: string
  try {
    path = createRequire(join(root, 'package.json')).resolve('@sdk/database')
  } catch {
    const fix = 'npm install @sdk/database'
    throw new Failure('the project has no @sdk/database', { code: 'PACKAGE_MISSING', fix })
  }
  return (await import(pathToFileURL(path).href)) as DatabasePackage
}

/** To look at a database must not make one. */
function assertThere(root: string, url: string): void {
  const isMemory = url === 'pglite://memory'
  if (!isEmbedded(url) || (!isMemory && existsSync(resolve(root, url.slice('pglite://'.length))))) return
  const message = isMemory ? 'a database in memory is seen by its own process alone' : 'there is no database yet'
  const fix = isMemory
    ? 'leave DATABASE_URL out, and the database is in .sdk/data'
    : 'sdk dev makes it when it is needed'
  throw new Failure(message, { code: 'NO_DATABASE', fix })
}

function toFailure(error: unknown): Failure {
  const { message, cause } = error as Error
  const { code = '', hint } = (cause ?? error) as { code?: string; hint?: string }
  // Why a database cannot be reached is told by the cause.
  const told = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new Failure(told, { code: 'SQL_FAILED', fix: hint ?? FIXES[code] ?? hintOf(told, undefined), cause: error })
}

/** By their SQLSTATE. */
const FIXES: Readonly<Record<string, string>> = {
  '08P01': 'write values into the statement: nothing stands for $1',
  '25006': 'sdk sql only reads, unless you add --write',
  '42601': 'it takes one statement at a time, in the SQL of PostgreSQL',
  '42P01': `what tables there are: sdk sql "select table_name from information_schema.tables where table_schema = 'public'"`,
}
