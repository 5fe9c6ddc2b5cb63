import { createHttpClient, type ClientOptions } from '../http/http-client.ts'

/** Options for `createAuthRoutesClient`. */
export interface AuthRoutesClientOptions extends Pick<ClientOptions, 'baseUrl' | 'fetch' | 'clock'> {
  /** The path of the auth routes. @default '/api/auth' */
  basePath?: string | undefined
  /**
   * The storage for the session token if the server has a different origin, since browsers block cookies from other
   * sites. `session` stores it in `sessionStorage`, so that it survives a reload. @default only in memory
   */
  persist?: 'session' | undefined
}

/** A client for a server's auth routes that sends the user's credentials. */
export interface AuthRoutesClient {
  /** The client's name, which is the URL of the auth routes. Clients with the same name share a session. */
  readonly name: string
  /** Calls a route such as `GET /get-session` and resolves with its JSON. */
  send(route: string, body?: object): Promise<unknown>
  /** Deletes the session token, if there is one. */
  forget(): void
}

/** The request header that asks for a session token. The response header with the same name contains the token. */
const SESSION_TOKEN_HEADER = 'x-sdk-token'

/** The routes that accept a session token instead of the cookie. */
const BEARER_ROUTES = /\/(get-session|access-token|sign-out)$/

/**
 * Creates a client for the auth routes. It uses the cookie, and a session token if the server has a different origin.
 */
export function createAuthRoutesClient(options: AuthRoutesClientOptions): AuthRoutesClient {
  const { baseUrl = globalThis.location?.origin, basePath = '/api/auth' } = options
  const name = baseUrl + basePath
  const http = createHttpClient({ ...options, fetch: open, credentials: 'include', timeoutMs: 30_000 })
  const tokens = openStorage(options)
  return {
    name,
    async send(route, body) {
      const reply = await http.send(route.replace(' ', ` ${basePath}`), body, { headers: headersOf(route) })
      // The auth routes never stream, so a stream must come from another server, such as a proxy.
      return reply.kind === 'value' ? reply.value : undefined
    },
    forget: () => void delete tokens[name],
  }

  function headersOf(route: string): Record<string, string> {
    // On the page's own origin, the cookie is sufficient, and scripts must not see the token.
    if (new URL(http.url('/')).origin === globalThis.location?.origin) return {}
    // Any other route, such as a sign-in, its second step or a password change, may start a session.
    if (!BEARER_ROUTES.test(route)) return { [SESSION_TOKEN_HEADER]: '1' }
    const token = tokens[name]
    return token ? { authorization: `Bearer ${token}` } : {}
  }

  async function open(target: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const response = await (options.fetch ?? globalThis.fetch)(target, init)
    const token = response.headers.get(SESSION_TOKEN_HEADER)
    if (token) tokens[name] = token
    return response
  }
}

/** Returns the storage for session tokens: `sessionStorage` if requested and allowed, otherwise memory. */
function openStorage({ persist }: AuthRoutesClientOptions): Record<string, string> {
  try {
    return (persist && globalThis.sessionStorage) || {}
  } catch {
    // Browsers that block cookies throw an error.
    return {}
  }
}
