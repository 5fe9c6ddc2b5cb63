import { hasPostgres } from './programs.ts'
import { createDatabase } from './shared-postgres.ts'

/** A kind of database that we promise to run on. */
export interface DatabaseKind {
  readonly kind: 'pglite' | 'postgres'
  /** Can tests on it run here? */
  readonly isHere: boolean
  /** The URL of an empty one. */
  url(): Promise<string>
}

/** All kinds of databases. */
export const DATABASE_KINDS: readonly DatabaseKind[] = [
  { kind: 'pglite', isHere: true, url: async () => 'pglite://memory' },
  { kind: 'postgres', isHere: hasPostgres(), url: createDatabase },
]

/** Returns the URL of an empty database for tests to which its kind is the same: an embedded one takes seconds to open. */
export async function emptyDatabase(): Promise<string> {
  return hasPostgres() ? createDatabase() : 'pglite://memory'
}
