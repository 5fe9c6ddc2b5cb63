import { appendFileSync } from 'node:fs'

/** The whole proof (`npm run chaos`), or the short one that is part of `npm test`? */
export const isWhole: boolean = process.env['SDK_CHAOS'] === 'whole'

/** The figures of the whole proof, or those of the short one. */
export function choose<T>(whole: T, short: T): T {
  return isWhole ? whole : short
}

/** The file that takes the rows of the table. */
export const TABLE_FILE = 'SDK_CHAOS_TABLE'

/** Adds a row to the table that `npm run chaos` prints. */
export function addRow(row: Record<string, string | number>): void {
  const file = process.env[TABLE_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
}
