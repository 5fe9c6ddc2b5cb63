import { openDatabase } from '@sdk/database'

/** The database of `DATABASE_URL`, or the embedded PostgreSQL in `.sdk/data`. */
export const database = openDatabase()
