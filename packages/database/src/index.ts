// Databases, embedded or on a server.
export { openDatabase } from './open-database.ts'
export type { Database, PreparedSql, Queryable, Transaction } from './database.ts'
export { migrate } from './migrate/migrate.ts'
export { applyMigrations, listPendingMigrations, migrationsApplied } from './migrate/apply-migrations.ts'
export { isConnectionError } from './connection-error.ts'

// Stores for resources.
export { table, type TableOptions } from './table/table.ts'
export { drizzleTable, type DrizzleDatabase, type DrizzleTable } from './drizzle/drizzle-table.ts'

// The engine for multiple processes on one PostgreSQL database.
export { postgresEngine, type PostgresEngineOptions } from './engine/postgres-engine.ts'

// The store for the runs of durable agents.
export { postgresRuns, type PostgresRunsOptions } from './run/postgres-runs.ts'

// For packages that build on this one.
export { retryable } from './retryable.ts'
export { createStatementRunner } from './statement-runner.ts'
export { quoteIdent, type RunStatement, type Statement } from './table-layout.ts'
export { addParentTable, type ParentTable } from './table/related-tables.ts'
export { isInspecting } from './is-inspecting.ts'
export { findSqlError, type SqlError } from './sql-error.ts'
