import { openDatabase } from '@sdk/database'

/** The embedded PostgreSQL in `.sdk/data`, or the one of `DATABASE_URL`. */
export const database = openDatabase()
