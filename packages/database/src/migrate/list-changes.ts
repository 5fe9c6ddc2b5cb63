import type { PlannedChange, PlannedStep } from '@sdk/server'
import { decideSteps, type DecidedStep, type TablePlan } from './migrate.ts'
import type { RunStatement } from '../table-layout.ts'

/** Lists the changes that a plan would make or refuse, without making them. */
export async function listChanges(run: RunStatement, table: string, plan: TablePlan): Promise<PlannedChange[]> {
  const { found, steps } = await decideSteps(run, table, plan)
  return steps.flatMap((step) => (step.isRefused ? toRefusedChange(step) : toChange(step, found === null)))
}

function toChange({ what = 'an index is missing', sql }: DecidedStep, isNew: boolean): PlannedChange[] {
  if (sql.length === 0) return []
  const steps = sql.map((text) => (isNew ? toNewStep(text) : toExistingStep(text)))
  return [{ what, why: null, kind: 'automatic', steps }]
}

function toRefusedChange({ refusal }: DecidedStep): PlannedChange[] {
  if (refusal === undefined) return []
  const { what, why, sql } = refusal
  return [{ what, why, kind: 'needed', steps: sql.map(toPlainStep) }]
}

/** Creates a step that adds to a table. */
function toStep(sql: string): PlannedStep {
  return { sql, judgement: 'safe beside the running version', mode: 'transaction' }
}

/** Creates the step for a new table, which a process of the new version may have created in the meantime. */
function toNewStep(sql: string): PlannedStep {
  return toStep(sql.replace(/^create (table|index|unique index) /, 'create $1 if not exists '))
}

/**
 * Creates the step for an existing table. An index is created in a form that does not block writes. A column may be
 * there already, if a process of the new version was faster.
 */
function toExistingStep(sql: string): PlannedStep {
  const concurrent = sql.replace(/^create (unique )?index /, 'create $1index concurrently if not exists ')
  if (concurrent !== sql) return { ...toStep(concurrent), mode: 'no transaction' }
  return toStep(sql.replace(/^(alter table "\w+" add column) /, '$1 if not exists '))
}

/** Creates a step of a change that is made in one go, while no other version is running. */
function toPlainStep(sql: string): PlannedStep {
  const isLoss = /^delete |^update .* set "\w+" = null | drop column /.test(sql)
  return { sql, judgement: isLoss ? 'loses data' : 'needs the old version gone', mode: 'transaction' }
}
