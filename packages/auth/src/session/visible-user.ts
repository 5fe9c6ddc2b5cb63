import type { User } from '@sdk/server'
import { parseUserOutput } from 'better-auth/db'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { toUser } from './request-auth.ts'

type UserRow = Parameters<typeof parseUserOutput>[1]

/** Returns a user as the routes do, without hashes and tokens. */
export function toVisibleUser(row: UserRow, { context }: BetterAuth): User {
  return toUser({ user: parseUserOutput(context.options, row) })
}

/** Returns whether the admin plugin has banned a user. A ban without an end has no `banExpires`. */
export function isBanned({ banned, banExpires }: Readonly<Record<string, unknown>>): boolean {
  const end = banExpires instanceof Date || typeof banExpires === 'string' ? Number(new Date(banExpires)) : null
  return banned === true && (end === null || end > Date.now())
}
