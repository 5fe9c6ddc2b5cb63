import { openDatabase } from '@sdk/database'

/** The database of the app: the embedded PostgreSQL in `.sdk/data`, or the server in `DATABASE_URL`. */
export const database = openDatabase()
