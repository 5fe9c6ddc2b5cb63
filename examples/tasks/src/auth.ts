import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

/** Users and sessions, in the same database as all other data. */
export const auth = createAuth({ database })
