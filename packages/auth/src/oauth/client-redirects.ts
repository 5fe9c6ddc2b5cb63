import type { GenericEndpointContext } from '@better-auth/core'

/**
 * The redirect URIs of well-known clients that Better Auth rejects, because their scheme is not a reverse domain name
 * (RFC 8252 §7.1). PKCE prevents other programs that claim the scheme from using the code.
 */
const KNOWN_REDIRECTS: ReadonlySet<unknown> = new Set(['cursor://anysphere.cursor-mcp/oauth/callback'])

/** A redirect URI that Better Auth accepts, used until the client is stored. */
const PLACEHOLDER = 'invalid.sdk:/callback'

/** Lets well-known clients register with redirect URIs that Better Auth rejects. */
export function withKnownRedirects(endpoint: (ctx: never) => Promise<unknown>): object {
  const register = async (ctx: GenericEndpointContext): Promise<unknown> => {
    const members = { ...(ctx.body as { redirect_uris?: unknown } | undefined) }
    const { redirect_uris: uris } = members
    if (!Array.isArray(uris) || !uris.some((uri) => KNOWN_REDIRECTS.has(uri))) return endpoint(ctx as never)
    const accepted = uris.map((uri: unknown) => (KNOWN_REDIRECTS.has(uri) ? PLACEHOLDER : uri))
    const changed: GenericEndpointContext = { ...ctx, body: { ...members, redirect_uris: accepted } }
    const result = await endpoint(changed as never)
    const { response } = result as { response: { client_id: string; redirect_uris: unknown } }
    const where = [{ field: 'clientId', value: response.client_id }]
    await ctx.context.adapter.update({ model: 'oauthClient', where, update: { redirectUris: uris } })
    response.redirect_uris = uris
    return result
  }
  return Object.assign(register, endpoint)
}
