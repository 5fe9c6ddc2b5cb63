import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { parseSessionOutput } from 'better-auth/db'
import { ACCESS_TOKEN_MS, signAccessToken } from '../session/access-token.ts'

/**
 * The routes that we add to the library's, or put in the place of its own:
 * - `POST /access-token` gives a short-lived token for the session of the cookie;
 * - `GET /list-sessions` lists the user's sessions, also when the one that asks is days old;
 * - `POST /revoke-session` ends one of them by its id, since nobody is told its token.
 */
export function sdkEndpoints(
  secret: string,
  onAccessToken: (token: string) => Promise<void>,
): { id: string; endpoints: object } {
  return { id: 'sdk', endpoints: { accessToken: accessToken(secret, onAccessToken), listSessions, revokeSession } }
}

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
  const { internalAdapter, session, options } = ctx.context
  const all = await internalAdapter.listSessions(session.user.id, { onlyActiveSessions: true })
  return ctx.json(all.map((one) => parseSessionOutput(options, one)))
})

const revokeSession: object = createAuthEndpoint('/revoke-session', POST, async (ctx) => {
  const { id } = (ctx.body ?? {}) as { id?: unknown }
  if (typeof id !== 'string') throw new APIError('BAD_REQUEST', { message: 'id is the id of a session' })
  const { internalAdapter, session } = ctx.context
  const found = (await internalAdapter.listSessions(session.user.id)).find((one) => one.id === id)
  // Also for a session of another user: nobody learns whose ids exist.
  if (!found) throw new APIError('NOT_FOUND', { message: 'You have no such session', code: 'NOT_FOUND' })
  await internalAdapter.deleteSession(found.token)
  return ctx.json({ status: true })
})
