import { appendFileSync } from 'node:fs'

/** Whether to run the full tests (`npm run chaos`) or the short ones of `npm test`. Endurance and stores use it too. */
const isWhole = process.env['SDK_CHAOS'] === 'whole'

/** Returns the figures of the full tests, or of the short ones. */
export function choose<T>(whole: T, short: T): T {
  return isWhole ? whole : short
}

/** The time after which a client that reads nothing is disconnected: the server's default, or less for short tests. */
export const SLOW_MS: number = choose(15_000, 2_000)

/** The file with the rows of the table. */
const TABLE_FILE = 'SDK_CHAOS_TABLE'

/** Adds a row to the table that `npm run chaos` prints. */
export function addRow(row: Record<string, string | number>): void {
  const file = process.env[TABLE_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
}

/** Returns the number of seconds since a time of `performance.now()`. */
export function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000)
}
