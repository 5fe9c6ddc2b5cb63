import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

/** Users and sessions. `api/users.ts` has the routes. */
export const auth = createAuth({
  database,
  userFields: {
    username: { type: 'string', input: true, required: true, unique: true },
    bio: { type: 'string', input: true },
  },
})
