import type { User } from '@sdk/server'
import { parseUserOutput } from 'better-auth/db'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { toUser } from './request-auth.ts'

type UserRow = Parameters<typeof parseUserOutput>[1]

/** Returns a user as the routes do, without hashes and tokens. */
export function toVisibleUser(row: UserRow, { context }: BetterAuth): User {
  return toUser({ user: parseUserOutput(context.options, row) })
}
