import { setTimeout } from 'node:timers/promises'
import { isApiError } from '@sdk/protocol'
import type { RequestOrigin } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { Hosts } from '../attached-apps.ts'
import type { Library } from '../better-auth/better-auth.ts'
import { createPasswordDoor } from '../better-auth/passwords.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { endSession } from '../session/end-session.ts'
import { readSignedCookie } from '../session/session-cookie.ts'
import { accountOf } from './account-of.ts'
import { isEntrance } from './attempt.ts'
import { type AuthCall, createAuthCallReader } from './auth-call.ts'
import { toAuthResponse, toErrorResponse } from './auth-response.ts'
import { createCounts } from './counts.ts'
import { toLibraryRequest } from './better-auth-request.ts'
import { issuedSession, keepCookies, TOKEN_HEADER, unsigned } from './session-credential.ts'
import { createThrottle, type Throttle } from './throttle.ts'
import type { Trusts } from './trusted-origin.ts'

/** An answer that mail was sent takes this long, or its time would tell for whom there is an account to write to. */
const MAIL_MS = 250

/** What the auth routes work with. */
export interface AuthHandlerParts {
  readonly settings: AuthSettings
  readonly hosts: Hosts
  readonly trusts: Trusts
  start(): Promise<Library>
}

/** Answers the routes below the base path. */
export type AuthHandler = (request: Request, from: RequestOrigin) => Promise<Response>

/** Makes the handler: what stands in front of the library, and what becomes of its answers. */
export function createAuthHandler({ settings, hosts, trusts, start }: AuthHandlerParts): AuthHandler {
  const { secret, throttle: limits } = settings
  const read = createAuthCallReader(settings, trusts)
  const throttle = limits ? createThrottle({ limits, secret, counts: createCounts(hosts.engine) }) : withoutLimits
  const door = createPasswordDoor()

  async function answer(call: AuthCall): Promise<Response> {
    const library = await start()
    const { attempt: kind, address } = call
    if (kind === null) return ask(library, call)
    const settle = await throttle({ kind, address, account: await accountOf(library, call) })
    try {
      const given = await (kind === 'mail' ? ask(library, call) : door(() => ask(library, call)))
      const hasEntered = given.ok && isEntrance(call.path) && given.headers.has('set-cookie')
      await settle({ status: given.status, hasEntered })
      return given
    } catch (error) {
      await settle({ status: 500, hasEntered: false })
      throw error
    }
  }

  async function ask(library: Library, call: AuthCall): Promise<Response> {
    const cookieName = library.context.authCookies.sessionToken.name
    // The library looks at the cookie alone, and would say that all is well.
    if (call.leaving !== null) await endSession(call.leaving, library)
    const asked = toLibraryRequest(call, settings, cookieName)
    const [given] = await Promise.all([library.handler(asked), call.attempt === 'mail' ? setTimeout(MAIL_MS) : null])
    const issued = issuedSession(given, cookieName)
    const shown = readSignedCookie(asked.headers.get('cookie'), cookieName, secret)
    const tokens = new Set([unsigned(issued ?? ''), shown ?? ''])
    const response = await toAuthResponse(given, { tokens, body: call.members })
    if (call.path === '/get-session' || response.status === 401) keepCookies(response.headers)
    const isAskedFor = settings.bearer && call.request.headers.get(TOKEN_HEADER) === '1'
    // A cookie that is only set anew stays out of reach: else whatever script runs in a page could carry it away.
    if (isAskedFor && issued !== null && unsigned(issued) !== shown) response.headers.set(TOKEN_HEADER, issued)
    return response
  }

  return async (request, from) => {
    try {
      return await orUnavailable(async () => answer(await read(request, from)))
    } catch (error) {
      if (isApiError(error)) return toErrorResponse(error)
      throw error
    }
  }
}

const withoutLimits: Throttle = async () => async () => {}
