import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { ACCESS_TOKEN_MS, signAccessToken } from '../session/access-token.ts'

/** The routes that we add to the library's: `POST {basePath}/access-token` gives a short-lived token for the session of the cookie. */
export function ownEndpoints(secret: string): { id: string; endpoints: object } {
  const accessToken = createAuthEndpoint('/access-token', { method: 'POST', use: [sessionMiddleware] }, async (ctx) => {
    const { session } = ctx.context.session
    const expiresAt = Math.min(Date.now() + ACCESS_TOKEN_MS, new Date(session.expiresAt).getTime())
    const token = signAccessToken({ sessionId: session.id, expiresAt }, secret)
    return ctx.json({ token, expiresAt: new Date(expiresAt).toISOString() })
  })
  return { id: 'sdk', endpoints: { accessToken } }
}
