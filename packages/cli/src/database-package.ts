import { pathToFileURL } from 'node:url'
import type { Log } from '@sdk/server'
import { resolvePackage } from './engine.ts'
import { Failure } from './failure.ts'
import { toAddCommand } from './package-manager.ts'

/** A row, keyed by column name. */
export type SqlRow = Readonly<Record<string, unknown>>

/** A migration file with steps that have not been applied. */
export interface PendingFile {
  readonly name: string
  /** The number of steps that have not been applied. */
  readonly steps: number
}

/**
 * The part of the project's own copy of `@sdk/database` that the CLI uses. In a dev server, this copy already has the
 * database open.
 */
interface DatabasePackage {
  openDatabase(url: string): {
    transaction<T>(
      work: (inside: { query(sql: string | object): Promise<SqlRow[]> }) => Promise<T>,
      options: { timeout: number },
    ): Promise<T>
    close(): Promise<void>
  }
  applyMigrations(folder: string, log: Log): Promise<void>
  migrationsApplied(): Promise<void>
  listPendingMigrations(folder: string): Promise<PendingFile[]>
  isConnectionError(error: unknown): boolean
}

/** Loads the project's copy of `@sdk/database`. `from` is a file in the project. */
export async function loadDatabasePackage(from: string): Promise<DatabasePackage> {
  const path = resolvePackage('@sdk/database', from)
  if (path !== null) return (await import(pathToFileURL(path).href)) as DatabasePackage
  const fix = toAddCommand('@sdk/database', from)
  throw new Failure('@sdk/database is not installed in the project', { code: 'PACKAGE_MISSING', fix })
}
