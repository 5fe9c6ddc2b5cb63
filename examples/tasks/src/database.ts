import { openDatabase } from '@sdk/database'

/** One database for everything: the embedded PostgreSQL in `.sdk/data`, or the one of `DATABASE_URL`. */
export const database = openDatabase()
