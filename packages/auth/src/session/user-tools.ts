import { randomInt } from 'node:crypto'
import { ApiError } from '@sdk/protocol'
import type { OpenedSession, User, UserTools } from '@sdk/server'
import type { Auth } from '../auth.ts'
import { listAuthRoutes } from '../better-auth/auth-routes.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { signAccessToken, verifyAccessToken } from './access-token.ts'
import { endSession } from './end-session.ts'
import { toVisibleUser } from './visible-user.ts'

interface UserToolsDependencies extends Pick<Auth, 'getActiveSessions'> {
  readonly secret: string
  readonly basePath: string
  start(): Promise<BetterAuth>
  /** Resolves when the changes have been published to the other processes. */
  published(): Promise<void>
}

/** The user agent of these sessions, which is shown in the user's session list. */
const USER_AGENT = 'sdk dev'

/** Creates the development tools. All methods throw `SERVICE_UNAVAILABLE` if the database is down. */
export function createUserTools(dependencies: UserToolsDependencies): UserTools {
  const { secret, basePath, start, getActiveSessions, published } = dependencies
  /** The session ids by user id, so that acting as the same user again reuses the session. */
  const sessions = new Map<string, string>()
  const withBetterAuth = <T>(work: (library: BetterAuth) => Promise<T>): Promise<T> =>
    orUnavailable(async () => work(await start()))

  /** Creates a session that lasts one day, like a sign-in without "remember me". */
  async function createSession(userId: string, { context }: BetterAuth): Promise<{ id: string; endsAt: number }> {
    const { id, expiresAt } = await context.internalAdapter.createSession(userId, true, { userAgent: USER_AGENT })
    sessions.set(userId, id)
    return { id, endsAt: new Date(expiresAt).getTime() }
  }

  async function openSession(userId: string, library: BetterAuth): Promise<OpenedSession | null> {
    const found = await library.context.internalAdapter.findUserById(userId)
    if (found === null) return null
    const openId = sessions.get(userId) ?? ''
    const endsAt = openId === '' ? undefined : (await getActiveSessions([openId])).get(openId)
    const isGood = endsAt !== undefined && endsAt > Date.now() + 60_000
    const session = isGood ? { id: openId, endsAt } : await createSession(userId, library)
    // A regular access token, but valid for as long as its session, so that it never needs to be renewed.
    const token = signAccessToken({ sessionId: session.id, expiresAt: session.endsAt }, secret)
    return { user: toVisibleUser(found, library), token, expiresAt: new Date(session.endsAt).toISOString() }
  }

  return {
    findUser: (email) =>
      withBetterAuth(async (library) => {
        const found = await library.context.internalAdapter.findUserByEmail(email.toLowerCase())
        return found === null ? null : toVisibleUser(found.user, library)
      }),
    listUsers: ({ search = '', limit }) =>
      withBetterAuth(async (library) => {
        const { internalAdapter } = library.context
        const newest = { field: 'createdAt', direction: 'desc' } as const
        const users = await internalAdapter.listUsers(limit, 0, newest, search === '' ? [] : toSearchConditions(search))
        return users.map((user) => toVisibleUser(user, library))
      }),
    createUser: (user) => withBetterAuth((library) => createUser(user, library)),
    openSession: (userId) => withBetterAuth((library) => openSession(userId, library)),
    listRoutes: () => withBetterAuth(async (library) => listAuthRoutes(library, basePath)),
    endSession: (token) =>
      withBetterAuth(async (library) => {
        const claim = verifyAccessToken(token, secret)
        if (claim !== null) await endSession(claim.sessionId, library)
        await published()
      }),
  }
}

async function createUser({ name, email }: { name: string; email: string }, library: BetterAuth): Promise<User> {
  const { internalAdapter, options } = library.context
  if ((await internalAdapter.findUserByEmail(email.toLowerCase())) !== null)
    throw new ApiError('CONFLICT', `a user with the email address ${email} already exists`)
  const fields = generateFieldValues(options.user?.additionalFields ?? {})
  const user = await internalAdapter.createUser({ ...fields, name, email, emailVerified: true }, { method: 'admin' })
  return toVisibleUser(user, library)
}

type UserFieldOptions = NonNullable<NonNullable<BetterAuth['context']['options']['user']>['additionalFields']>

/** Generates values for required fields without a default, which users would enter when they sign up. */
function generateFieldValues(fields: UserFieldOptions): Record<string, unknown> {
  const needed = Object.entries(fields).filter(([, field]) => field.required && field.defaultValue === undefined)
  return Object.fromEntries(needed.map(([name, { type }]) => [name, FIELD_GENERATORS[String(type)]?.()]))
}

/** The value generators by type. Strings and numbers are random because a field may be unique. */
const FIELD_GENERATORS: Readonly<Record<string, () => unknown>> = {
  string: () => `test ${randomInt(1e9)}`,
  number: () => randomInt(1e9),
  boolean: () => false,
  date: () => new Date(),
}

function toSearchConditions(search: string): SearchCondition[] {
  const value = search.replaceAll(/[\\%_]/g, String.raw`\$&`) // Better Auth does not escape LIKE patterns
  return ['email', 'name'].map((field) => ({
    field,
    value,
    operator: 'contains',
    mode: 'insensitive',
    connector: 'OR',
  }))
}

type SearchCondition = NonNullable<Parameters<BetterAuth['context']['internalAdapter']['listUsers']>[3]>[number]
