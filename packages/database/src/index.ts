export { openDatabase } from './open.ts'
export type { Database, Queryable, Transaction } from './database.ts'
export { migrate } from './migrate.ts'
export { isConnectionError } from './connection-error.ts'
