import { quote } from '../table-layout.ts'

/** A change that brings a table nearer to its design. */
export interface Step {
  readonly sql: readonly string[]
  /** A query that gives a row where the change cannot be made; undefined: it can. */
  readonly unless?: string
  /** What to tell then; without it the change is left out. */
  readonly refusal?: Refusal
  /** May it fail? Then it is left out. */
  readonly isOptional?: boolean
}

/** A change that people must make themselves. */
export interface Refusal {
  readonly what: string
  readonly why: string
  /** What does it. */
  readonly sql: readonly string[]
}

/** A step that is never taken. */
export function refuse(refusal: Refusal): Step {
  return { sql: [], unless: 'select 1', refusal }
}

/** The beginning of SQL that changes a column. */
export function alter(table: string, column: string): string {
  return `alter table ${quote(table)} alter column ${quote(column)}`
}

/** The error for changes that people must make themselves. */
export function toRefusalError(table: string, refusals: readonly Refusal[]): Error {
  const reasons = refusals.map(({ what, why }) => `- ${what}: ${why}.`)
  const statements = refusals.flatMap(({ sql }) => sql.map((statement) => `  ${statement};`))
  return new Error(
    [
      `The table ${table} does not fit its resource, and to change it could lose data, so nothing was changed:`,
      ...reasons,
      'Change the definition back; or read this SQL, put values of your choice into it, run it, and start again:',
      ...statements,
    ].join('\n'),
  )
}
