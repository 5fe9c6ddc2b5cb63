import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

export const auth = createAuth({ database })
