import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

/** Users and sessions, stored in the same database as the other data. */
export const auth = createAuth({ database })
