import { decodeCursor, encodeCursor, invalidRequest, type Page, PAGE_LIMIT } from '@sdk/protocol'
import type { User } from '@sdk/server'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { toVisibleUser } from '../session/visible-user.ts'
import type { UserPageQuery } from './auth-users.ts'

/** The name that identifies this list in cursors. */
const LIST = 'auth users'

/** Reads a page of users, sorted by email address, which is unique and indexed. */
export async function listUsers(library: BetterAuth, query: UserPageQuery): Promise<Page<User>> {
  const limit = assertLimit(query.limit ?? PAGE_LIMIT.default)
  const from = typeof query.cursor === 'string' ? decodeCursor(query.cursor, LIST) : null
  const isBackward = from?.direction === 'prev'
  const found = await library.context.internalAdapter.listUsers(
    limit + 1, // one extra user indicates whether there is another page
    0,
    { field: 'email', direction: isBackward ? 'desc' : 'asc' },
    from === null ? [] : [{ field: 'email', operator: isBackward ? 'lt' : 'gt', value: toText(from.after[0]) }],
  )
  const users = found.slice(0, limit).map((user) => toVisibleUser(user, library))
  if (isBackward) users.reverse()
  const hasExtra = found.length > limit
  const next = isBackward || hasExtra ? toCursor('next', users.at(-1)) : null
  const prev = (isBackward ? hasExtra : from !== null) ? toCursor('prev', users[0]) : null
  return { data: users, pagination: { limit, hasMore: next !== null, nextCursor: next, prevCursor: prev } }
}

function toCursor(direction: 'next' | 'prev', user: User | undefined): string | null {
  return user === undefined ? null : encodeCursor({ list: LIST, direction, after: [user.email] })
}

/** Removes NUL characters from a cursor's value. Only a forged cursor contains them, and PostgreSQL rejects them. */
function toText(value: unknown): string {
  return String(value).replaceAll('\0', '')
}

function assertLimit(limit: number): number {
  const { max } = PAGE_LIMIT
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  const message = `must be an integer from 1 to ${max}`
  throw invalidRequest([{ code: 'INVALID_VALUE', message, source: 'query', name: 'limit' }])
}
