import { createDatabase, type Database } from './database.ts'
import { defaultDatabaseUrl, parseDatabaseUrl } from './database-url.ts'
import { createPgliteBackend } from './pglite/pglite-backend.ts'
import { createPostgresBackend } from './postgres.ts'

/**
 * Opens `postgres://…`, `pglite://dir` or `pglite://memory`. Returns at once and connects when first
 * used; `ready()` waits for it. In one process the same `pglite://dir` is one database, while
 * every `pglite://memory` is a new one.
 * @default `DATABASE_URL`, else `pglite://.sdk/data`
 * @example const notes = await openDatabase().query('select text from notes where id = $1', [7])
 */
export function openDatabase(url: string = defaultDatabaseUrl()): Database {
  const target = parseDatabaseUrl(url)
  return createDatabase(
    target.kind === 'postgres' ? createPostgresBackend(target.connectionString) : createPgliteBackend(target.directory),
  )
}
