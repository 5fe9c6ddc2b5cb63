import { sharePostgres } from './shared-postgres.ts'

/** Runs before the first test file. The returned function runs after the last one. */
export async function setup(): Promise<() => Promise<void>> {
  return sharePostgres()
}
