import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

/** Users and their sessions, stored in the same database. */
export const auth = createAuth({ database })
