import { appendFileSync } from 'node:fs'

/** The whole proof (`npm run chaos`), or the short one that is part of `npm test`? Endurance and stores use it too. */
const isWhole = process.env['SDK_CHAOS'] === 'whole'

/** The figures of the whole proof, or those of the short one. */
export function choose<T>(whole: T, short: T): T {
  return isWhole ? whole : short
}

/** After so long a client that takes nothing is sent away: the server's default, or less where there is less time. */
export const SLOW_MS: number = choose(15_000, 2_000)

/** The file that takes the rows of the table. */
const TABLE_FILE = 'SDK_CHAOS_TABLE'

/** Adds a row to the table that `npm run chaos` prints. */
export function addRow(row: Record<string, string | number>): void {
  const file = process.env[TABLE_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
}
