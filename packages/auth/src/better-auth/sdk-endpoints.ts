import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { parseSessionOutput } from 'better-auth/db'
import type { Session } from 'better-auth'
import { ACCESS_TOKEN_MS, signAccessToken } from '../session/access-token.ts'

/**
 * Creates the routes that the SDK adds to Better Auth or replaces:
 * - `POST /access-token` returns a short-lived token for the cookie's session;
 * - `GET /list-sessions` lists the user's newest sessions, even if the current one is days old;
 * - `POST /revoke-session` ends one of these sessions by its id, since tokens are never exposed.
 */
export function sdkEndpoints(
  secret: string,
  onAccessToken: (token: string) => Promise<void>,
): { id: string; endpoints: object } {
  return { id: 'sdk', endpoints: { accessToken: accessToken(secret, onAccessToken), listSessions, revokeSession } }
}

/** The maximum number of sessions to list, since a user who signs in from a script may have thousands. */
const MAX_LISTED_SESSIONS = 100

const GET = { method: 'GET' as const, use: [sessionMiddleware] }
const POST = { method: 'POST' as const, use: [sessionMiddleware] }

const accessToken = (secret: string, onAccessToken: (token: string) => Promise<void>): object =>
  createAuthEndpoint('/access-token', POST, async (ctx) => {
    const { session } = ctx.context.session
    const expiresAt = Math.min(Date.now() + ACCESS_TOKEN_MS, new Date(session.expiresAt).getTime())
    const token = signAccessToken({ sessionId: session.id, expiresAt }, secret)
    await onAccessToken(token)
    return ctx.json({ token, expiresAt: new Date(expiresAt).toISOString() })
  })

const listSessions: object = createAuthEndpoint('/list-sessions', GET, async (ctx) => {
  const { adapter, internalAdapter, session, options } = ctx.context
  const { id: userId } = session.user
  const isActive = { field: 'expiresAt', value: new Date(), operator: 'gt' as const }
  const newest =
    options.secondaryStorage === undefined
      ? await adapter.findMany<Session>({
          model: 'session',
          where: [{ field: 'userId', value: userId }, isActive],
          sortBy: { field: 'createdAt', direction: 'desc' },
          limit: MAX_LISTED_SESSIONS,
        })
      : await internalAdapter.listSessions(userId, { onlyActiveSessions: true })
  return ctx.json(newest.map((one) => parseSessionOutput(options, one)))
})

const revokeSession: object = createAuthEndpoint('/revoke-session', POST, async (ctx) => {
  const { id } = (ctx.body ?? {}) as { id?: unknown }
  if (typeof id !== 'string') throw new APIError('BAD_REQUEST', { message: 'id must be the id of a session' })
  const { adapter, internalAdapter, session, options } = ctx.context
  const { id: userId } = session.user
  const where = [
    { field: 'id', value: id },
    { field: 'userId', value: userId },
  ]
  // Reads one row instead of all sessions, because a user may have thousands.
  const found =
    options.secondaryStorage === undefined
      ? await adapter.findOne<Session>({ model: 'session', where })
      : (await internalAdapter.listSessions(userId)).find((one) => one.id === id)
  // The response is the same for another user's session, so that it does not reveal whether an id exists.
  if (!found) throw new APIError('NOT_FOUND', { message: 'Session not found', code: 'NOT_FOUND' })
  await internalAdapter.deleteSession(found.token)
  return ctx.json({ status: true })
})
