import type { GenericEndpointContext } from '@better-auth/core'
import { oauthProvider } from '@better-auth/oauth-provider'
import type { BetterAuthOptions } from 'better-auth'
import { APIError, createAuthEndpoint, createAuthMiddleware, sessionMiddleware } from 'better-auth/api'
import type { McpSettings } from '../mcp-options.ts'
import { createClientDiscovery, type ProviderOptions } from './client-metadata.ts'
import { createClientLimit } from './client-limit.ts'
import { assertWebLinks } from './client-links.ts'
import { withKnownRedirects } from './client-redirects.ts'
import { REFRESH_TOKEN_PREFIX, withConcurrentRefresh } from './concurrent-refresh.ts'
import { OAUTH_TOKEN_PREFIX } from './oauth-token.ts'

/** The scope of clients that get refresh tokens. */
const REFRESH_SCOPE = 'offline_access'

/** Adds Better Auth's OAuth provider. This module is loaded only if the `mcp` option is set. */
export function withOAuthProvider(
  config: BetterAuthOptions,
  mcp: McpSettings,
  isProduction: boolean,
): BetterAuthOptions {
  const assertRoom = createClientLimit(mcp.maxClients)
  const isDynamic = mcp.registration === 'dynamic'
  const discovery = createClientDiscovery({ allowsLoopback: !isProduction, options: () => options, assertRoom })
  const provider = oauthProvider({
    loginPage: mcp.loginPage,
    consentPage: mcp.consentPage,
    scopes: [REFRESH_SCOPE, ...mcp.scopes],
    grantTypes: ['authorization_code', 'refresh_token'],
    // Tokens are rows instead of JWTs, so that they can be revoked.
    disableJwtPlugin: true,
    prefix: { opaqueAccessToken: OAUTH_TOKEN_PREFIX, refreshToken: REFRESH_TOKEN_PREFIX },
    // A client that does not receive the response to a refresh may repeat it.
    refreshTokenReuseInterval: 30,
    enforcePerClientResources: false,
    allowDynamicClientRegistration: isDynamic,
    allowUnauthenticatedClientRegistration: isDynamic,
    extensions: [{ clientDiscovery: discovery }],
  })
  const options: ProviderOptions = provider.options
  const before = [
    ...provider.hooks.before,
    { matcher: ({ path }: { path?: string }) => path === '/oauth2/authorize', handler: prepareRequest(mcp) },
    { matcher: ({ path }: { path?: string }) => path === '/oauth2/register', handler: prepareClient(assertRoom) },
    { matcher: ({ path }: { path?: string }) => path === '/oauth2/consent', handler: restoreClient(discovery) },
  ]
  const endpoints = {
    ...provider.endpoints,
    registerOAuthClient: withKnownRedirects(provider.endpoints.registerOAuthClient),
    oauth2Token: withConcurrentRefresh(provider.endpoints.oauth2Token),
    deleteOAuthConsent: deleteConsent,
  }
  const plugin = { ...provider, endpoints, hooks: { ...provider.hooks, before } }
  return { ...config, plugins: [plugin as never, ...(config.plugins ?? [])] }
}

/**
 * Creates the hook for authorization requests. It stores the resources of this origin, which may be known only from the
 * request, and adds what clients omit: `resource`, without which a token would have no audience, and the scope of
 * refresh tokens. Only clients that registered for refresh tokens get them.
 */
const prepareRequest = ({ resources }: McpSettings): object =>
  createAuthMiddleware(async (ctx) => {
    const { origin } = new URL(ctx.context.baseURL)
    const known = resources.map((path) => origin + path)
    const part = ctx.method === 'POST' ? 'body' : 'query'
    const { resource = known[0], scope } = (ctx[part] ?? {}) as { resource?: string | string[]; scope?: string }
    for (const identifier of known.filter((one) => [resource].flat().includes(one)))
      await storeResource(ctx.context, identifier)
    // Without `scope`, the client gets all scopes.
    const scopes = typeof scope === 'string' && { scope: [...new Set([...scope.split(' '), REFRESH_SCOPE])].join(' ') }
    return { context: { [part]: { resource, ...scopes } } }
  })

async function storeResource({ adapter }: GenericEndpointContext['context'], identifier: string): Promise<void> {
  const model = 'oauthResource'
  const find = (): Promise<unknown> => adapter.findOne({ model, where: [{ field: 'identifier', value: identifier }] })
  if ((await find()) !== null) return
  const now = new Date()
  try {
    await adapter.create({ model, data: { identifier, name: identifier, createdAt: now, updatedAt: now } })
  } catch (error) {
    if ((await find()) === null) throw error // otherwise, a concurrent request stored it
  }
}

/** Creates the hook for registrations. Clients on the user's computer rarely declare that they are native. */
const prepareClient = (assertRoom: (ctx: GenericEndpointContext) => Promise<void>): object =>
  createAuthMiddleware(async (ctx) => {
    const members = (ctx.body ?? {}) as Record<string, unknown>
    assertWebLinks(members)
    await assertRoom(ctx)
    const { application_type: type, redirect_uris: uris } = members
    const isNative = Array.isArray(uris) && uris.some((uri) => !String(uri).startsWith('https:'))
    return type === undefined && isNative ? { context: { body: { application_type: 'native' } } } : undefined
  })

/** Creates the hook for approvals. It stores a client again that was deleted because it was not approved yet. */
const restoreClient = ({ matches, resolve }: ReturnType<typeof createClientDiscovery>): object =>
  createAuthMiddleware(async (ctx) => {
    const { oauth_query: query } = (ctx.body ?? {}) as { oauth_query?: unknown }
    const clientId = new URLSearchParams(typeof query === 'string' ? query : '').get('client_id') ?? ''
    const where = [{ field: 'clientId', value: clientId }]
    if (!matches(clientId)) return
    if ((await ctx.context.adapter.findOne({ model: 'oauthClient', where })) === null)
      await resolve(ctx, clientId, null)
  })

/** Ends a user's approval of a client together with the client's tokens, which Better Auth's route would keep. */
const deleteConsent: object = createAuthEndpoint(
  '/oauth2/delete-consent',
  { method: 'POST', use: [sessionMiddleware] },
  async (ctx) => {
    const { adapter, session } = ctx.context
    const { id } = (ctx.body ?? {}) as { id?: unknown }
    const userId = { field: 'userId', value: session.user.id }
    const where = [{ field: 'id', value: String(id) }, userId]
    const consent = await adapter.findOne<{ clientId: string }>({ model: 'oauthConsent', where })
    if (consent === null) throw new APIError('NOT_FOUND', { code: 'NOT_FOUND', message: 'Consent not found' })
    const ofClient = [{ field: 'clientId', value: consent.clientId }, userId]
    // Access tokens refer to refresh tokens. The consent is deleted last, so that a failed request can be repeated.
    for (const model of ['oauthAccessToken', 'oauthRefreshToken', 'oauthConsent'])
      await adapter.deleteMany({ model, where: ofClient })
    return ctx.json({ status: true })
  },
)
