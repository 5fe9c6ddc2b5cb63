import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlannedStep } from '@sdk/server'
import { usageFailure } from '../failure.ts'
import { formatQuestion } from './format-plan.ts'
import { listMigrationFiles } from './migration-files.ts'
import type { ProjectPlan, TableChange } from './project-plan.ts'

/** Returns the steps to write. Steps that would break the old version are included only if `isFinishing` is true. */
export function selectSteps({ changes }: ProjectPlan, isFinishing: boolean): SelectedStep[] {
  return changes.flatMap((change) =>
    change.steps
      .filter(({ judgement }) => isFinishing || judgement === 'safe while the old version is running')
      .map((step) => ({ change, step })),
  )
}

/** A step to write, and the change that it belongs to. */
export interface SelectedStep {
  readonly change: TableChange
  readonly step: PlannedStep
}

/** Writes steps to the next migration file, such as `0007-add-language.sql`, and returns its name. */
export function writeMigration(folder: string, name: string, steps: readonly SelectedStep[]): string {
  const last = Math.max(0, ...listMigrationFiles(folder).map((file) => Number.parseInt(file, 10) || 0))
  const file = `${String(last + 1).padStart(4, '0')}-${name}.sql`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), formatMigration(steps), { flag: 'wx' })
  return file
}

/** Throws if a name cannot be used in a migration file name. */
export function assertMigrationName(name: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,60}$/.test(name))
    throw usageFailure(`a migration's name must be in kebab-case, got ${name}`, 'sdk migrate --write add-language')
}

function formatMigration(steps: readonly SelectedStep[]): string {
  const blocks = steps.map(({ change, step: { sql, judgement, mode } }, index) => [
    `-- step ${index + 1}: ${change.table}: ${change.what} (${judgement})`,
    ...(steps[index - 1]?.change === change || change.question === undefined ? [] : formatQuestion(change.question)),
    ...(mode === 'no transaction' ? ['-- no transaction'] : mode === 'batches' ? ['-- in batches'] : []),
    ...(sql.startsWith('create table ') ? [] : [`-- only if the table ${change.table} exists`]),
    // Dropping a column is never necessary, so the statement is commented out, and the reviewer decides.
    sql.includes(' drop column ') ? `-- ${sql};` : `${sql};`,
  ])
  const head = ['-- Review this SQL and replace its values as needed. sdk start applies each step once, in this order.']
  return `${[head, ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`
}
