import type { RequestAuth } from '@sdk/server'
import type { Auth } from '../auth.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { readCookieHeader, readSignedCookie } from './session-cookie.ts'

/**
 * Creates a function that renews sessions in use, so that daily users stay signed in. It never rejects. Better Auth
 * determines how long a session lasts.
 */
export function createRenewal(secret: string, start: () => Promise<BetterAuth>): Auth['renew'] {
  /** The renewals in progress by session id. Concurrent requests share them. */
  const running = new Map<string, Promise<readonly string[]>>()
  let betterAuth: BetterAuth | undefined

  function isDue({ session }: RequestAuth, cookie: string, { context }: BetterAuth): boolean {
    const { expiresIn, updateAge } = context.sessionConfig
    if (Date.parse(session.expiresAt) - (expiresIn - updateAge) * 1_000 > Date.now()) return false
    // Sessions without "remember me" are never extended.
    return readSignedCookie(cookie, context.authCookies.dontRememberToken.name, secret) === null
  }

  async function requestRenewal(cookie: string, { api }: BetterAuth): Promise<readonly string[]> {
    try {
      const { headers, response } = await api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
      // If the session has ended in the meantime, the next request is rejected.
      return response === null ? [] : headers.getSetCookie()
    } catch {
      return [] // the session is still valid, and the next request tries again
    }
  }

  function decide(auth: RequestAuth, cookie: string, opened: BetterAuth): null | Promise<readonly string[]> {
    if (!isDue(auth, cookie, opened)) return null
    const { id } = auth.session
    const renewal = running.get(id) ?? requestRenewal(cookie, opened).finally(() => running.delete(id))
    running.set(id, renewal)
    return renewal
  }

  async function openAndDecide(auth: RequestAuth, cookie: string): Promise<readonly string[]> {
    try {
      betterAuth = await start()
      return (await decide(auth, cookie, betterAuth)) ?? []
    } catch {
      return [] // the database error is reported when the session is read
    }
  }

  return (auth, headers) => {
    const cookie = readCookieHeader(headers)
    if (auth.via !== 'cookie' || cookie === null) return null
    return betterAuth === undefined ? openAndDecide(auth, cookie) : decide(auth, cookie, betterAuth)
  }
}
