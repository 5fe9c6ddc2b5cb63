// Changes in steps that work while the old version is running and still reads and writes the old columns.
import type { Judgement, PlannedStep } from '@sdk/server'
import { quoteIdent } from '../table-layout.ts'
import { DISTINCT_VALUES, NEUTRAL_VALUES } from './literal.ts'
import { alterColumn } from './migration-step.ts'
import { toColumnType, toDefinition, toShortName, type TableColumn, type TableReference } from './table-design.ts'

const step =
  (judgement: Judgement, mode: PlannedStep['mode'] = 'transaction') =>
  (sql: string): PlannedStep => ({ sql, judgement, mode })

/** Creates a step that does not affect the running version. */
export const safeStep: (sql: string) => PlannedStep = step('safe while the old version is running')
/** Creates a step that would break the old version. */
export const laterStep: (sql: string) => PlannedStep = step('requires the old version to be stopped')
/** Creates a step that deletes data. */
export const lossStep: (sql: string) => PlannedStep = step('loses data')
/** Creates a step that builds an index without blocking writes. */
export const indexStep: (sql: string) => PlannedStep = step('safe while the old version is running', 'no transaction')

/** Returns the SQL for the value to store in rows without one. The developer can replace it. */
export function toFilling({ type, isUnique, default: value }: TableColumn): string {
  return isUnique ? DISTINCT_VALUES[type] : (value ?? NEUTRAL_VALUES[type])
}

/** Adds a required column. Its default is for rows that the old version inserts. */
export function addRequired(table: string, column: TableColumn): PlannedStep[] {
  const add = `alter table ${quoteIdent(table)} add column if not exists`
  if (!column.isUnique)
    return [safeStep(`${add} ${toDefinition({ ...column, default: toFilling(column) })}`), dropDefault(table, column)]
  return [
    safeStep(`${add} ${toDefinition({ ...column, isNullable: true, default: null })}`),
    ...fillAndRequire(table, column),
  ]
}

/** Drops the default of a column that was added for the old version. */
export function dropDefault(table: string, { name }: TableColumn): PlannedStep {
  return laterStep(`${alterColumn(table, name)} drop default`)
}

/** Fills in missing values, and makes the column required. */
export function fillAndRequire(table: string, column: TableColumn): PlannedStep[] {
  const name = quoteIdent(column.name)
  const fill = `update ${quoteIdent(table)} set ${name} = ${toFilling(column)} where ${name} is null`
  return [step('requires the old version to be stopped', 'batches')(fill), ...requireColumn(table, column)]
}

/**
 * Makes a column required if all rows have a value. Only `validate` reads the rows, and it does not block writes. `set
 * not null` then uses the validated constraint.
 */
export function requireColumn(table: string, { name }: TableColumn): PlannedStep[] {
  const alter = `alter table ${quoteIdent(table)}`
  const check = quoteIdent(toShortName(`${table}.${name} not null`))
  return [
    `${alter} add constraint ${check} check (${quoteIdent(name)} is not null) not valid`,
    `${alter} validate constraint ${check}`,
    `${alterColumn(table, name)} set not null`,
    `${alter} drop constraint ${check}`,
  ].map(laterStep)
}

/** A new column that replaces an existing column and receives its values. */
export interface ColumnCopy {
  /** The unquoted name of the old column. */
  readonly from: string
  readonly to: TableColumn
  /** Whether the columns have different types. Otherwise, the field may have been renamed. */
  readonly isTypeChange: boolean
  /** Returns the SQL that converts a value in the old column to a value for the new column. */
  readonly forward: (value: string) => string
  /** Returns the SQL that converts a value in the new column to a value for the old column. */
  readonly backward: (value: string) => string
}

/** Copies a column to a new one. A trigger keeps both in sync until the old version has stopped. */
export function copyColumn(table: string, { from, to, forward, backward }: ColumnCopy): PlannedStep[] {
  const [old, fresh, on] = [quoteIdent(from), quoteIdent(to.name), quoteIdent(table)]
  const trigger = copyTrigger(table, from, to.name)
  const [setOld, setNew] = [`new.${old} := ${backward(`new.${fresh}`)}`, `new.${fresh} := ${forward(`new.${old}`)}`]
  return [
    safeStep(`alter table ${on} add column if not exists ${fresh} ${toColumnType(to.type)}`),
    // A value that cannot be converted must not cause the request that writes it to fail.
    safeStep(`create or replace function ${trigger}() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' and new.${fresh} is null then ${setNew};
  elsif tg_op = 'INSERT' or new.${fresh} is distinct from old.${fresh} then ${setOld};
  elsif new.${old} is distinct from old.${old} then ${setNew};
  end if;
  return new;
exception when data_exception then return new;
end $$;
create or replace trigger ${trigger} before insert or update on ${on} for each row execute function ${trigger}()`),
    step(
      'safe while the old version is running',
      'batches',
    )(`update ${on} set ${fresh} = ${forward(old)} where ${fresh} is null and ${old} is not null`),
    ...dropCopy(table, from, to.name),
    ...(to.isNullable ? [] : requireColumn(table, to)),
    dropColumn(table, from),
  ]
}

/** Stops copying values between two columns. */
export function dropCopy(table: string, from: string, to: string): PlannedStep[] {
  const trigger = copyTrigger(table, from, to)
  return [laterStep(`drop trigger if exists ${trigger} on ${quoteIdent(table)};\ndrop function if exists ${trigger}()`)]
}

/** Allows inserts without the column, such as those from a version without the field. */
export function dropRequired(table: string, name: string): PlannedStep {
  return safeStep(`${alterColumn(table, name)} drop not null`)
}

/** Drops a column. */
export function dropColumn(table: string, name: string): PlannedStep {
  return lossStep(`alter table ${quoteIdent(table)} drop column if exists ${quoteIdent(name)}`)
}

/** Returns the quoted name shared by the function and the trigger that copy values between two columns. */
export function copyTrigger(table: string, from: string, to: string): string {
  return quoteIdent(toShortName(`${table}.${from}=${to}`))
}

/** Adds a foreign key. The rows are checked in a step that does not block writes. */
export function addReference(table: string, reference: TableReference): PlannedStep[] {
  const { column, parent, onDelete } = reference
  const [name, on, key] = [toReferenceName(table, reference), quoteIdent(table), quoteIdent(column)]
  return [
    safeStep(
      `alter table ${on} add constraint ${quoteIdent(name)} foreign key (${key}) references ${quoteIdent(parent)} ("id") on delete ${onDelete} not valid`,
    ),
    checkReference(table, reference),
  ]
}

/** Checks the existing rows of a foreign key that was added without checking them. */
export function checkReference(table: string, reference: TableReference): PlannedStep {
  return safeStep(
    `alter table ${quoteIdent(table)} validate constraint ${quoteIdent(toReferenceName(table, reference))}`,
  )
}

/** Returns the name of a foreign key. It contains the action, so that a changed action is detected. */
export function toReferenceName(table: string, { column, onDelete }: TableReference): string {
  return toShortName(`${table}.${column} ${onDelete}`)
}
