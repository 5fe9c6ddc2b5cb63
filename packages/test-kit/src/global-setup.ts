import { sharePostgres } from './shared-postgres.ts'

/** What vitest does before the first test file; the returned function is what it does after the last. */
export async function setup(): Promise<() => Promise<void>> {
  return sharePostgres()
}
