import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlannedStep } from '@sdk/server'
import { TableMismatch } from '../table-mismatch.ts'

/** A file with reviewed SQL, such as `0007-add-language.sql`. */
export interface MigrationFile {
  readonly name: string
  readonly steps: readonly FileStep[]
}

/** A part of a file that is applied as a whole. */
export interface FileStep {
  readonly sql: string
  readonly mode: PlannedStep['mode']
  /**
   * The table that the step requires, or null. If the table does not exist, the step is skipped: a new table is created
   * from its schema.
   */
  readonly table: string | null
  /** The hash of the SQL, to detect that a step was edited after it was applied. */
  readonly checksum: string
}

/** An error in a migration file. Its message is for operators and explains the fix. */
export class MigrationError extends TableMismatch {
  readonly code: 'MIGRATION_FAILED' | 'MIGRATION_EDITED'

  constructor(message: string, options: { code?: MigrationError['code']; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'MigrationError'
    this.code = options.code ?? 'MIGRATION_FAILED'
  }
}

/** Reads the migration files in a folder, in the order in which they are applied. The folder does not have to exist. */
export function readMigrations(folder: string): MigrationFile[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sql')) : []
  return names.toSorted().map((name) => parseMigration(name, readFileSync(join(folder, name), 'utf8')))
}

/** Parses a migration file. Lines that begin with `-- step` separate its steps. */
export function parseMigration(name: string, text: string): MigrationFile {
  if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
    throw new MigrationError(`a migration file must be named like 0007-add-language.sql, got ${name}: rename it`)
  const parts = text.replaceAll('\r\n', '\n').split(/^-- step\b.*$/m)
  return { name, steps: parts.filter(hasSql).map((part) => parseStep(name, part.trim())) }
}

function hasSql(text: string): boolean {
  return text.split('\n').some((line) => line.trim() !== '' && !line.trim().startsWith('--'))
}

function parseStep(file: string, sql: string): FileStep {
  if (/^\s*(commit|rollback)\s*;/im.test(sql))
    throw new MigrationError(
      `${file} cannot contain commit or rollback, since each step is a transaction: separate steps with "-- step"`,
    )
  const mode = /^-- no transaction$/m.test(sql) ? 'no transaction' : /^-- in batches$/m.test(sql) ? 'batches' : null
  if (mode === 'batches' && !BATCHED_UPDATE.test(sql))
    throw new MigrationError(
      `${file}: a batched step must be a single update with a where clause, such as update notes set … where …`,
    )
  return {
    sql,
    mode: mode ?? 'transaction',
    table: /^-- only if the table (\w+) exists$/m.exec(sql)?.[1] ?? null,
    checksum: createHash('sha256').update(sql).digest('hex'),
  }
}

/** A pattern that matches a single update with a where clause. The first group is the table's name. */
export const BATCHED_UPDATE: RegExp = /(?:^|\n)update\s+("(?:[^"]|"")+"|\w+)\s+set\s[^;]*\swhere\s[^;]*;?\s*$/i
