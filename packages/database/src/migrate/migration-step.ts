import type { PlannedChange, PlannedStep } from '@sdk/server'
import { quoteIdent } from '../table-layout.ts'
import { TableMismatch } from '../table-mismatch.ts'

/** A change that brings a table closer to its design. */
export interface MigrationStep {
  /** The difference between the table and its design. @default a missing index */
  readonly what?: string
  readonly sql: readonly string[]
  /** A query that returns a row if the change cannot be applied. Without it, the change can always be applied. */
  readonly unless?: string
  /** The reason to report if the change cannot be applied. Without it, the change is skipped. */
  readonly refusal?: MigrationRefusal
  /** The same change in steps that do not block writes. @default derived from the statements */
  readonly steps?: readonly PlannedStep[]
  /** The question that `sdk migrate` prints. */
  readonly question?: PlannedChange['question']
  /** The optional steps that remain after the old version has stopped. */
  readonly cleanup?: { readonly what: string; readonly steps: readonly PlannedStep[] }
  /** Whether the change adds a foreign key, which must follow the other changes to all tables. */
  readonly isForeignKey?: boolean
  /** Whether the change adds the triggers of a live resource to an existing table. */
  readonly isLive?: boolean
  /** Whether the change is skipped if it fails. */
  readonly isOptional?: boolean
}

/** A change that the developer must make. */
export interface MigrationRefusal {
  readonly what: string
  readonly why: string
  /** The statements to run manually while no other version is running. */
  readonly sql: readonly string[]
  /** The same change in steps that work while the old version is running. @default the statements */
  readonly steps?: readonly PlannedStep[]
}

/** Creates a step that is always refused. */
export function toRefusedStep(refusal: MigrationRefusal): MigrationStep {
  return { sql: [], unless: 'select 1', refusal }
}

/**
 * Creates a step that is refused, except for an empty table in development, which has no data to lose. In production,
 * another version of the program may still be running.
 */
export function toStepIfEmpty(table: string, sql: readonly string[], refusal: MigrationRefusal): MigrationStep {
  if (process.env['NODE_ENV'] !== 'development') return toRefusedStep(refusal)
  return { what: refusal.what, sql, unless: `select 1 from ${quoteIdent(table)} limit 1`, refusal }
}

/** Returns the beginning of an SQL statement that changes a column. */
export function alterColumn(table: string, column: string): string {
  return `alter table ${quoteIdent(table)} alter column ${quoteIdent(column)}`
}

/** Creates the error that lists the changes that the developer must make. */
export function toMigrationError(table: string, refusals: readonly MigrationRefusal[]): Error {
  const reasons = refusals.map(({ what, why }) => `- ${what}: ${why}.`)
  const statements = refusals.flatMap(({ sql }) => sql.map((statement) => `  ${statement};`))
  return new TableMismatch(
    [
      `The table ${table} does not match its resource. Changing it could lose data, so nothing was changed:`,
      ...reasons,
      'Either revert the definition, or write a migration with sdk migrate --write <name>. If no other version is running,',
      'you can also review this SQL, replace its values as needed, run it, and restart the app:',
      ...statements,
    ].join('\n'),
  )
}
