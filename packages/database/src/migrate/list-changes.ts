import type { PlannedChange, PlannedStep } from '@sdk/server'
import { indexStep, laterStep, lossStep, safeStep } from './expand-contract.ts'
import { decideSteps, type DecidedStep, type TablePlan } from './migrate.ts'
import type { RunStatement } from '../table-layout.ts'

/** Lists the changes that a plan would apply or refuse, without applying them. */
export async function listChanges(run: RunStatement, table: string, plan: TablePlan): Promise<PlannedChange[]> {
  const { found, steps } = await decideSteps(run, table, plan)
  const toSteps = (sql: readonly string[]): PlannedStep[] => sql.map(found === null ? toNewStep : toExistingStep)
  return [
    ...steps.flatMap((step) => (step.isRefused ? toRefusedChange(step) : toChange(step, toSteps))),
    ...steps.flatMap(({ isRefused, cleanup }): PlannedChange[] =>
      isRefused || cleanup === undefined ? [] : [{ ...cleanup, why: null, kind: 'cleanup' }],
    ),
  ]
}

function toChange(step: DecidedStep, toSteps: (sql: readonly string[]) => PlannedStep[]): PlannedChange[] {
  const { what = 'an index is missing', sql, steps = toSteps(sql), question, isForeignKey, isLive } = step
  if (sql.length === 0) return []
  const flags = { ...(question && { question }), ...(isForeignKey && { isForeignKey }), ...(isLive && { isLive }) }
  return [{ what, why: null, kind: 'automatic', steps, ...flags }]
}

function toRefusedChange({ refusal, question }: DecidedStep): PlannedChange[] {
  if (refusal === undefined) return []
  const { what, why, sql, steps = sql.map(toPlainStep) } = refusal
  return [{ what, why, kind: 'needed', steps, ...(question && { question }) }]
}

/** Creates the step for a new table. A process of the new version may already have created the table. */
function toNewStep(sql: string): PlannedStep {
  return safeStep(sql.replace(/^create (table|index|unique index) /, 'create $1 if not exists '))
}

/**
 * Creates the step for an existing table. An index is created without blocking writes. A column may already exist, if a
 * process of the new version has created it.
 */
function toExistingStep(sql: string): PlannedStep {
  const concurrent = sql.replace(/^create (unique )?index /, 'create $1index concurrently if not exists ')
  if (concurrent !== sql) return indexStep(concurrent)
  return safeStep(sql.replace(/^(alter table "\w+" add column) /, '$1 if not exists '))
}

/** Creates a step for a change that must not be applied while another version is running. */
function toPlainStep(sql: string): PlannedStep {
  return /^delete |^update .* set "\w+" = null | drop column /.test(sql) ? lossStep(sql) : laterStep(sql)
}
