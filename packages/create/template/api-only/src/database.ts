import { openDatabase } from '@sdk/database'

/** The database in `DATABASE_URL`, or the embedded PostgreSQL database in `.sdk/data`. */
export const database = openDatabase()
