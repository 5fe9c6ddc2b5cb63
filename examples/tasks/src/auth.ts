import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

/** Users and their sessions, in the same database as everything else. */
export const auth = createAuth({ database })
