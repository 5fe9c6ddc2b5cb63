import { openDatabase } from '@sdk/database'

/** The embedded PostgreSQL in `.sdk/data`, or the server in `DATABASE_URL`. */
export const database = openDatabase()
