import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import pg from 'pg'
import { createPglite } from '../pglite/create-pglite.test.fixture.ts'
import type { DrizzleDatabase } from './drizzle-table.ts'

/** An empty Drizzle database. */
export interface Opened {
  db: DrizzleDatabase
  query(sql: string): Promise<unknown>
  close(): Promise<void>
}

/** The Drizzle drivers that tables support. */
export const KINDS = [
  { kind: 'drizzle-orm/pglite', isHere: true, open: openPglite },
  { kind: 'drizzle-orm/node-postgres', isHere: hasPostgres(), open: openPostgres },
]

async function openPglite(): Promise<Opened> {
  const client = await createPglite()
  const db = drizzlePglite({ client, casing: 'snake_case' })
  return { db, query: (sql) => client.exec(sql), close: () => client.close() }
}

async function openPostgres(): Promise<Opened> {
  // These settings must not affect the rows.
  const options = '-c timezone=Asia/Kathmandu -c datestyle=SQL,DMY'
  const pool = new pg.Pool({ connectionString: await createDatabase(), options, max: 3 })
  const db = drizzlePg({ client: pool, casing: 'snake_case' })
  return { db, query: (sql) => pool.query(sql), close: () => pool.end() }
}
