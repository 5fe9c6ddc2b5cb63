import { setTimeout } from 'node:timers/promises'
import { isApiError } from '@sdk/protocol'
import type { RequestOrigin } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { Hosts } from '../hosts.ts'
import type { Library } from '../library/library.ts'
import { createPasswordDoor } from '../library/passwords.ts'
import { orUnavailable } from '../library/unavailable.ts'
import { accountIn } from './attempt.ts'
import { type AuthCall, createAuthCallReader } from './auth-call.ts'
import { toAuthResponse, toErrorResponse } from './auth-response.ts'
import { createCounts } from './counts.ts'
import { toLibraryRequest } from './library-request.ts'
import { issuedSession, readCookie, TOKEN_HEADER, unsigned } from './session-credential.ts'
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
      await settle(given.status)
      return given
    } catch (error) {
      await settle(500)
      throw error
    }
  }

  async function ask(library: Library, call: AuthCall): Promise<Response> {
    const cookieName = library.context.authCookies.sessionToken.name
    const asked = library.handler(toLibraryRequest(call, settings, cookieName))
    const [given] = await Promise.all([asked, call.attempt === 'mail' ? setTimeout(MAIL_MS) : null])
    const issued = issuedSession(given, cookieName)
    const shown = call.bearer ?? readCookie(call.request.headers, cookieName)
    const tokens = new Set([issued, shown].flatMap((one) => (one === null ? [] : [unsigned(one)])))
    const response = await toAuthResponse(given, tokens)
    const isAskedFor = settings.bearer && call.request.headers.get(TOKEN_HEADER) === '1'
    if (isAskedFor && issued !== null) response.headers.set(TOKEN_HEADER, issued)
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

/** Whose password or code is tried; where the body does not say, the cookie does. */
async function accountOf({ context }: Library, { request, members }: AuthCall): Promise<string | null> {
  const account = accountIn(members)
  if (account !== null) return account
  const begun = readCookie(request.headers, context.createAuthCookie('two_factor').name)
  if (begun !== null) {
    // The second step of a sign-in: a new first step must not bring new attempts.
    const found = await context.internalAdapter.findVerificationValue(unsigned(begun))
    if (found) return `two-factor ${found.value}`
  }
  const session = readCookie(request.headers, context.authCookies.sessionToken.name)
  return session === null ? null : `session ${unsigned(session)}`
}
