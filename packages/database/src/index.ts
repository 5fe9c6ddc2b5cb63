// A database, embedded or served.
export { openDatabase } from './open.ts'
export type { Database, PreparedSql, Queryable, Transaction } from './database.ts'
export { migrate } from './migrate.ts'
export { isConnectionError } from './connection-error.ts'

// Stores of resources.
export { table, type TableOptions } from './table.ts'
export { drizzleTable, type DrizzleDatabase, type DrizzleTable } from './drizzle-table.ts'

// Many processes over one PostgreSQL.
export { postgresEngine, type PostgresEngineOptions } from './engine/postgres-engine.ts'

// For packages that build on this one.
export { runForLong } from './run.ts'
export type { Run, Statement } from './layout.ts'
export { isInspecting } from './phase.ts'
