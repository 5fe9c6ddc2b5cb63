import { ApiError } from '@sdk/protocol'
import type { AuthSettings } from '../auth-options.ts'

/** The routes that OAuth clients call. They use no cookies, and pages of every origin may call them. */
const CLIENT_ROUTES: ReadonlySet<string> = new Set(['token', 'revoke', 'introspect', 'register'])

/** The routes of a signed-in user. The OAuth provider has others, for the management of clients. */
const USER_ROUTES: ReadonlySet<string> = new Set([
  'authorize',
  'continue',
  'consent',
  'public-client',
  'get-consents',
  'delete-consent',
])

/** Returns the paths of the routes that OAuth clients call. Empty without the `mcp` option. */
export function oauthClientPaths({ mcp, basePath }: Pick<AuthSettings, 'mcp' | 'basePath'>): ReadonlySet<string> {
  return new Set(mcp === null ? [] : Array.from(CLIENT_ROUTES, (name) => `${basePath}/oauth2/${name}`))
}

/** Returns whether OAuth clients call this route. Throws 404 for a route of the OAuth provider that is not offered. */
export function isOAuthClientRoute(path: string): boolean {
  const [, name] = /^(?:\/admin)?\/oauth2\/(.+)$/.exec(path) ?? []
  if (name === undefined || USER_ROUTES.has(name)) return false
  if (CLIENT_ROUTES.has(name)) return true
  throw new ApiError('NOT_FOUND', 'Auth route not found')
}

/** Converts the response to an OAuth client, which expects the members that RFC 6749 defines. */
export async function toOAuthResponse(answer: Response): Promise<Response> {
  const headers = new Headers(answer.headers)
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  const text = await answer.text()
  // RFC 7636 §4.6; Better Auth responds with 401 and invalid_request, and clients would not start again.
  if (answer.status === 401 && text.includes('code verification failed'))
    return Response.json(
      { error: 'invalid_grant', error_description: 'code verification failed' },
      { status: 400, headers },
    )
  return new Response(text === '' ? null : text, { status: answer.status, headers })
}

/**
 * Converts an error to the response that RFC 6749 §5.2 defines. Clients that cannot read an error ask the user to sign
 * in again, even if the server is only unavailable for a moment.
 */
export function toOAuthErrorResponse({ status, message, headers: given, retryAfter = 1 }: ApiError): Response {
  const headers = new Headers(given)
  headers.set('cache-control', 'no-store')
  const isTemporary = status === 429 || status === 503
  if (isTemporary) headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
  const error = isTemporary ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
  return Response.json({ error, error_description: message }, { status, headers })
}
