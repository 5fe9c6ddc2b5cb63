import { sharePostgres } from './shared-postgres.ts'

/** Runs before the first test file; the returned function runs after the last. */
export async function setup(): Promise<() => Promise<void>> {
  return sharePostgres()
}
