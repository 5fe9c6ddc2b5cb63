import type { RequestAuth } from '@sdk/server'
import type { Auth } from '../auth.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { readCookieHeader, readSignedCookie } from './session-cookie.ts'

/**
 * Renews sessions that are in use, so that nobody is signed out who is there every day; never rejects. The library
 * decides how long a session lasts.
 */
export function createRenewal(secret: string, start: () => Promise<BetterAuth>): Auth['renew'] {
  /** Once for all who come with one session at the same time. */
  const running = new Map<string, Promise<readonly string[]>>()
  let betterAuth: BetterAuth | undefined

  function isDue({ session }: RequestAuth, cookie: string, { context }: BetterAuth): boolean {
    const { expiresIn, updateAge } = context.sessionConfig
    if (Date.parse(session.expiresAt) - (expiresIn - updateAge) * 1_000 > Date.now()) return false
    // A session that is not to be remembered ends when it said.
    return readSignedCookie(cookie, context.authCookies.dontRememberToken.name, secret) === null
  }

  async function requestRenewal(cookie: string, { api }: BetterAuth): Promise<readonly string[]> {
    try {
      const { headers, response } = await api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
      // One that has ended meanwhile is for the next request to find out.
      return response === null ? [] : headers.getSetCookie()
    } catch {
      return [] // the session is good still, and the next request tries again
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
      return [] // whoever reads sessions tells that the database is away
    }
  }

  return (auth, headers) => {
    const cookie = readCookieHeader(headers)
    if (auth.via !== 'cookie' || cookie === null) return null
    return betterAuth === undefined ? openAndDecide(auth, cookie) : decide(auth, cookie, betterAuth)
  }
}
