import { ApiError } from '@sdk/protocol'

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
  headers.set('access-control-allow-origin', '*')
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
