import type { RequestAuth } from '../auth/identity.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { MaybePromise } from '../platform/and-then.ts'
import type { ServerRequest } from '../http/server-request.ts'

/**
 * Returns whether a request's credentials were recently valid. Such credentials are checked even if the client's
 * address is blocked.
 */
export function hasKnownCredentials(call: ServerRequest, session: SessionProvider | null): boolean {
  return session?.isKnown?.({ get: (name) => call.header(name.toLowerCase()) }) === true
}

/** Authenticates a request. Returns undefined if it has no credentials. */
export function authenticate(
  call: ServerRequest,
  session: SessionProvider | null,
): undefined | MaybePromise<RequestAuth | null> {
  if (call.auth !== undefined) return call.auth
  if (session === null) return undefined
  const get = (name: string): string | null => call.header(name.toLowerCase())
  const { credentials = CREDENTIALS } = session
  return credentials.some((name) => get(name) !== null) ? session.authenticate({ get }) : undefined
}

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'sec-websocket-protocol']
