import type { WellKnownDocument } from '@sdk/server'
import type { Auth, AuthHeaders } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { originOf } from '../routes/better-auth-request.ts'

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const SERVER_METADATA = '/.well-known/oauth-authorization-server'

/** Returns the path of the most specific protected resource that contains a path, or null. */
export function findResource(path: string, { mcp }: Pick<AuthSettings, 'mcp'>): string | null {
  const found = mcp?.resources.filter((resource) => path === resource || path.startsWith(`${resource}/`)) ?? []
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null
}

/** Returns the origins that a request may have. Without a base URL, a proxy may have terminated TLS. */
export function possibleOrigins(headers: AuthHeaders, baseURL: string | null): string[] {
  const host = headers.get('host') ?? ''
  return baseURL === null ? [`http://${host}`, `https://${host}`] : [baseURL]
}

/** Creates the function that returns the challenge for protected resources (RFC 9728 §5.1). */
export function createChallenge(settings: AuthSettings): Auth['challenge'] {
  return (headers, path) => {
    const resource = findResource(path, settings)
    if (resource === null) return null
    return `resource_metadata="${possibleOrigins(headers, settings.baseURL)[0]}${RESOURCE_METADATA}${resource}"`
  }
}

/** Creates the documents that describe the protected resources (RFC 9728) and the OAuth server (RFC 8414). */
export function createWellKnown(settings: AuthSettings, start: () => Promise<BetterAuth>): WellKnownDocument[] {
  const { mcp, basePath, baseURL } = settings
  if (mcp === null) return []
  const describeResource = (path: string) => (request: Request) => {
    const origin = originOf(request, baseURL)
    return {
      resource: `${origin}${path}`,
      authorization_servers: [`${origin}${basePath}`],
      bearer_methods_supported: ['header'],
      ...(mcp.scopes.length > 0 && { scopes_supported: mcp.scopes }),
    }
  }
  const describeServer = (request: Request): Promise<object> =>
    orUnavailable(async () => {
      const url = `${originOf(request, baseURL)}${basePath}${SERVER_METADATA}`
      const response = await (await start()).handler(new Request(url))
      return withoutUnsupported((await response.json()) as Record<string, unknown>)
    })
  return [
    ...['', ...mcp.resources].map((path) => ({
      path: RESOURCE_METADATA + path,
      read: describeResource(path === '' ? (mcp.resources[0] ?? '') : path),
    })),
    ...['', basePath].map((path) => ({ path: SERVER_METADATA + path, read: describeServer })),
  ]
}

/** Removes features of Better Auth that the SDK does not support: tokens bound to a key, and logout notifications. */
function withoutUnsupported(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !/^(?:dpop|backchannel)_/.test(name)))
}
