import type { RequestAuth } from '../auth/identity.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { MaybePromise } from '../platform/and-then.ts'
import type { Reply } from '../http/reply.ts'
import type { ServerRequest } from '../http/server-request.ts'

/**
 * Returns whether a request's credentials were recently valid. Such credentials are checked even if the client's
 * address is blocked.
 */
export function hasKnownCredentials(call: ServerRequest, session: SessionProvider | null): boolean {
  return session?.isKnown?.({ get: (name) => call.header(name.toLowerCase()) }) === true
}

/** Authenticates a request. Returns undefined if it has no credentials. A socket handshake has no path. */
export function authenticate(
  call: ServerRequest,
  session: SessionProvider | null,
  path?: string,
): undefined | MaybePromise<RequestAuth | null> {
  if (call.auth !== undefined) return call.auth
  if (session === null) return undefined
  const get = (name: string): string | null => call.header(name.toLowerCase())
  const { credentials = CREDENTIALS } = session
  return credentials.some((name) => get(name) !== null) ? session.authenticate({ get }, path) : undefined
}

/** Adds the session provider's parameters to the `WWW-Authenticate` header of a 401 or 403 reply. */
export function addChallenge(reply: Reply, call: ServerRequest, { session, path }: ChallengeSource): void {
  const own = reply.headers['www-authenticate']
  // A 403 without a challenge does not depend on the credentials, so other credentials would not help.
  if (reply.status !== 401 && (reply.status !== 403 || own === undefined)) return
  const parameters = session?.challenge?.({ get: (name) => call.header(name.toLowerCase()) }, path) ?? null
  if (parameters === null) return
  const isPlain = own === undefined || own === 'Bearer'
  const problem = call.header('authorization') === null ? '' : ' error="invalid_token",'
  reply.headers['www-authenticate'] = isPlain ? `Bearer${problem} ${parameters}` : `${String(own)}, ${parameters}`
}

interface ChallengeSource {
  readonly session: SessionProvider | null
  readonly path: string
}

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'sec-websocket-protocol']
