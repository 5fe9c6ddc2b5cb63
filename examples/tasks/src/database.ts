import { openDatabase } from '@sdk/database'

/** PGlite in `.sdk/data`, or the PostgreSQL of `DATABASE_URL`. */
export const database = openDatabase()
