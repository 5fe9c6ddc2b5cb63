import { existsSync, readdirSync } from 'node:fs'
import type { Log } from '@sdk/server'
import { errorFields } from '@sdk/server/node'
import { loadDatabasePackage, type PendingFile } from '../database-package.ts'
import { toMigrationFailure } from './migration-failure.ts'

/** The location of a project's migration files. */
export interface MigrationSource {
  readonly folder: string
  /** A file in the project, from which packages are resolved. */
  readonly from: string
}

/** Lists the migration files that have not been applied to the database. */
export async function listPendingFiles({ folder, from }: MigrationSource): Promise<PendingFile[]> {
  if (listMigrationFiles(folder).length === 0) return []
  const { listPendingMigrations } = await loadDatabasePackage(from)
  return listPendingMigrations(folder).catch((error: unknown) => {
    throw toMigrationFailure(error)
  })
}

/** Migration files that are being applied. */
export interface Migrations {
  /**
   * Resolves when the files have been applied, or when the database is unreachable. Rejects with a `Failure` if a file
   * cannot be applied.
   */
  readonly applied: Promise<void>
  /**
   * The readiness check, which tries to apply the files and fails until they have been applied. Empty if there are no
   * files.
   */
  readonly checks: Readonly<Record<string, () => Promise<void>>>
}

/**
 * Starts applying the pending migration files. Tables are not ready until the files have been applied. If the database
 * is unreachable, the server starts anyway, and every use of a table tries to apply the files again.
 */
export async function beginMigrations({ folder, from }: MigrationSource, log: Log): Promise<Migrations> {
  if (listMigrationFiles(folder).length === 0) return { applied: Promise.resolve(), checks: {} }
  const { applyMigrations, migrationsApplied, isConnectionError } = await loadDatabasePackage(from)
  const applied = applyMigrations(folder, log).catch((error: unknown) => {
    if (!isConnectionError(error)) throw toMigrationFailure(error)
    log.error('the migrations have not been applied yet', errorFields(error))
  })
  return { applied, checks: { migrations: migrationsApplied } }
}

/** Lists the names of the migration files in a folder, which does not have to exist. */
export function listMigrationFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.sql')) : []
}
