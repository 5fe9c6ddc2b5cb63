import { runWithTransaction } from '@better-auth/core/context'
import { ApiError } from '@sdk/protocol'
import type { User } from '@sdk/server'
import { BASE_ERROR_CODES, getCurrentAdapter } from 'better-auth'
import { APIError } from 'better-auth/api'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { endPendingAccess } from '../better-auth/reset-links.ts'
import { createSessionCookies, runInEndpoint } from '../better-auth/server-endpoint.ts'
import { takenField } from '../better-auth/taken-fields.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import type { AttemptLimits } from '../routes/attempt-limits.ts'
import { toAuthError } from '../routes/auth-error.ts'
import { signAccessToken } from '../session/access-token.ts'
import { toVisibleUser } from '../session/visible-user.ts'
import type { AuthUsers, CreatedSession, NewUser, UserChanges } from './auth-users.ts'
import { listUsers } from './list-users.ts'
import { assertPassword, parseUserFields } from './user-input.ts'
import { verifyPassword } from './verify-password.ts'

interface AuthUsersDependencies {
  readonly secret: string
  readonly limits: AttemptLimits
  start(): Promise<BetterAuth>
  /** Resolves when the changes have been published to the other processes. */
  published(): Promise<void>
}

type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>

/** Creates the functions that manage users from server code. */
export function createAuthUsers({ secret, limits, start, published }: AuthUsersDependencies): AuthUsers {
  const { limitHashes } = limits

  /** Runs `work` with Better Auth, and converts its errors as the auth routes do. */
  async function run<T>(work: (library: BetterAuth) => Promise<T>, input: object = {}): Promise<T> {
    try {
      return await orUnavailable(async () => {
        const library = await start()
        return runInEndpoint(library, () => work(library))
      })
    } catch (error) {
      throw toAuthError(error, { ...input })
    } finally {
      await published()
    }
  }

  return {
    create: (user) => run((library) => limitHashes(() => createUser(library, user)), user),
    get: (id) => run(async (library) => toUserOrNull(await findUser(library, id), library)),
    findByEmail: (email) =>
      run(async (library) => {
        const found = isText(email) ? await library.context.internalAdapter.findUserByEmail(email) : null
        return toUserOrNull(found?.user ?? null, library)
      }),
    list: (page = {}) => run((library) => listUsers(library, page)),
    update: (id, fields) => run((library) => updateUser(library, id, fields), fields),
    setPassword: (id, password) =>
      run((library) => limitHashes(() => setPassword(library, id, password)), { password }),
    verifyPassword: (email, password, { address } = {}) =>
      run((library) => verifyPassword(library, { email, password, address }, limits), { email, password }),
    createSession: (id) => run((library) => createSession(library, id, secret)),
    revokeSessions: (id) =>
      run(async (library) => {
        await getUser(library, id)
        await library.context.internalAdapter.deleteUserSessions(id)
      }),
    delete: (id) => run((library) => deleteUser(library, id)),
  }
}

async function createUser(library: BetterAuth, { password, ...input }: NewUser): Promise<User> {
  const { internalAdapter, options, password: passwords } = library.context
  const fields = parseUserFields(options, input, 'create') as NewUser & { emailVerified: boolean }
  if (password !== undefined) assertPassword(library.context, password)
  if ((await internalAdapter.findUserByEmail(fields.email)) !== null) throw takenField('email')
  const hash = password === undefined ? null : await passwords.hash(password)
  return inTransaction(library, async () => {
    const user = orRefused(await internalAdapter.createUser(fields, { method: 'admin' }), 'FAILED_TO_CREATE_USER')
    if (hash !== null) orRefused(await addPassword(library, user.id, hash), 'FAILED_TO_CREATE_USER')
    return toVisibleUser(user, library)
  })
}

async function updateUser(library: BetterAuth, id: string, input: UserChanges): Promise<User> {
  const { internalAdapter, options } = library.context
  const { email } = await getUser(library, id)
  const fields = parseUserFields(options, input, 'update')
  const hasNewEmail = fields['email'] !== undefined && fields['email'] !== email
  const changes = hasNewEmail ? { emailVerified: false, ...fields } : fields
  return inTransaction(library, async () => {
    const updated = await internalAdapter.updateUser<UserRow>(id, changes)
    // Otherwise, a reset link sent to the old address could still set this user's password.
    if (hasNewEmail) await endPendingAccess(library, id)
    return toVisibleUser(orRefused(updated, 'FAILED_TO_UPDATE_USER'), library)
  })
}

async function setPassword(library: BetterAuth, id: string, given: string): Promise<void> {
  const { internalAdapter, password, options } = library.context
  assertPassword(library.context, given)
  await getUser(library, id)
  const hash = await password.hash(given)
  await inTransaction(library, async () => {
    const user = await lockUser(library, id)
    const account = await internalAdapter.findCredentialAccount(id)
    // `internalAdapter.updatePassword` does nothing if the user has no password yet.
    const changed = account
      ? await internalAdapter.updateAccount(account.id, { password: hash })
      : await addPassword(library, id, hash)
    orRefused(changed, 'FAILED_TO_UPDATE_USER')
    await options.emailAndPassword?.onPasswordReset?.({ user })
    await internalAdapter.deleteUserSessions(id)
  })
}

async function deleteUser(library: BetterAuth, id: string): Promise<void> {
  await getUser(library, id)
  await inTransaction(library, async () => {
    await lockUser(library, id)
    await endPendingAccess(library, id)
    await library.context.internalAdapter.deleteUser(id)
    // If a plugin hook kept the user, this rolls back the deletion of the sessions and credentials.
    if ((await findUser(library, id)) !== null) throw APIError.from('BAD_REQUEST', NOT_DELETED)
  })
}

const NOT_DELETED = { code: 'FAILED_TO_DELETE_USER', message: 'Failed to delete user' }

/**
 * Runs `work` in one transaction, which the internal adapter joins. The adapter's `after` hooks run after the commit.
 */
async function inTransaction<T>({ context }: BetterAuth, work: () => Promise<T>): Promise<T> {
  return runWithTransaction(context.adapter, work)
}

/** Locks a user until the transaction ends, so that concurrent calls do not add two passwords. */
async function lockUser(library: BetterAuth, id: string): Promise<UserRow> {
  const adapter = await getCurrentAdapter(library.context.adapter)
  const where = [{ field: 'id', value: id }]
  await adapter.updateMany({ model: 'user', where, update: { updatedAt: new Date() } })
  return getUser(library, id)
}

function addPassword({ context }: BetterAuth, id: string, hash: string) {
  const account = { userId: id, providerId: 'credential', accountId: id, password: hash }
  return context.internalAdapter.linkAccount(account)
}

async function createSession(library: BetterAuth, userId: string, secret: string): Promise<CreatedSession> {
  const user = await getUser(library, userId)
  const created = await library.context.internalAdapter.createSession(userId)
  const session = orRefused(created, 'FAILED_TO_CREATE_SESSION')
  const expiresAt = new Date(session.expiresAt)
  return {
    id: session.id,
    token: signAccessToken({ sessionId: session.id, expiresAt: expiresAt.getTime() }, secret),
    expiresAt: expiresAt.toISOString(),
    cookies: await createSessionCookies(library, { session, user }),
  }
}

async function findUser({ context }: BetterAuth, id: string) {
  return isText(id) ? context.internalAdapter.findUserById(id) : null
}

async function getUser(library: BetterAuth, id: string): Promise<UserRow> {
  const user = await findUser(library, id)
  if (user === null) throw new ApiError('NOT_FOUND', 'user not found')
  return user
}

function toUserOrNull(row: UserRow | null, library: BetterAuth): User | null {
  return row === null ? null : toVisibleUser(row, library)
}

/** Returns whether the database can look up a value: PostgreSQL rejects NUL characters. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

/** Throws if a plugin's hook rejected a change: Better Auth then returns null. */
function orRefused<T>(row: T | null | undefined, code: keyof typeof BASE_ERROR_CODES): T {
  if (row === null || row === undefined) throw APIError.from('BAD_REQUEST', BASE_ERROR_CODES[code])
  return row
}
