import type { User } from '@sdk/server'
import { parseUserOutput } from 'better-auth/db'
import type { Library } from '../library/library.ts'
import { orUnavailable } from '../library/unavailable.ts'
import { toUser } from './request-auth.ts'

/** Finds users by address, whatever its letter case; throws `SERVICE_UNAVAILABLE` when the database is down. */
export function createFindUser(start: () => Promise<Library>): (email: string) => Promise<User | null> {
  return (email) =>
    orUnavailable(async () => {
      const { context } = await start()
      const found = await context.internalAdapter.findUserByEmail(email.toLowerCase())
      return found === null ? null : toUser({ user: parseUserOutput(context.options, found.user) })
    })
}
