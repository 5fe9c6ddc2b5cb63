import { createHash } from 'node:crypto'
import type { RequestAuth } from '@sdk/server'
import type { AuthSettings } from '../auth-options.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import type { SessionReaderOptions } from '../session/session-reader.ts'
import { isBanned, toVisibleUser } from '../session/visible-user.ts'
import { findResource, possibleOrigins } from './protected-resources.ts'

/** The prefix of OAuth access tokens, which distinguishes them from the access tokens of sessions. */
export const OAUTH_TOKEN_PREFIX = 'oat_'

const NOBODY: Promise<null> = Promise.resolve(null)

interface AccessTokenRow {
  readonly id: string
  readonly clientId: string
  readonly userId?: string | null
  readonly resources?: readonly string[] | null
  readonly scopes: readonly string[]
  readonly expiresAt: Date
  readonly revoked?: Date | null
  /** The key that the token is bound to. Such tokens are rejected, because the proof is not verified. */
  readonly confirmation?: unknown
}

interface ClientRow {
  readonly disabled?: boolean | null
  readonly skipConsent?: boolean | null
}

/**
 * Creates a reader for OAuth access tokens. It reads the database for every request, so that a revoked token is
 * rejected immediately in every process.
 */
export function createOAuthTokenReader(
  settings: AuthSettings,
  start: () => Promise<BetterAuth>,
): NonNullable<SessionReaderOptions['readOAuthToken']> {
  async function read(token: string, audiences: readonly string[]): Promise<RequestAuth | null> {
    const library = await start()
    const { adapter, internalAdapter } = library.context
    const value = createHash('sha256').update(token.slice(OAUTH_TOKEN_PREFIX.length)).digest('base64url')
    const row = await adapter.findOne<AccessTokenRow>({ model: 'oauthAccessToken', where: [{ field: 'token', value }] })
    if (row === null || !row.userId || row.revoked || row.confirmation) return null
    if (row.expiresAt.getTime() <= Date.now() || !audiences.some((one) => row.resources?.includes(one))) return null
    const ofClient = { field: 'clientId', value: row.clientId }
    const [client, consent, user] = await Promise.all([
      adapter.findOne<ClientRow>({ model: 'oauthClient', where: [ofClient] }),
      adapter.findOne({ model: 'oauthConsent', where: [ofClient, { field: 'userId', value: row.userId }] }),
      internalAdapter.findUserById(row.userId),
    ])
    if (client === null || client.disabled === true || user === null || isBanned({ ...user })) return null
    // A code or refresh that was in progress when the user deleted the consent can still lead to a token.
    if (consent === null && client.skipConsent !== true) return null
    const visible = toVisibleUser(user, library)
    return Object.freeze({
      session: Object.freeze({ id: row.id, userId: row.userId, expiresAt: row.expiresAt.toISOString() }),
      via: 'oauth',
      scopes: Object.freeze([...row.scopes]),
      getUser: () => Promise.resolve(visible),
    })
  }

  return (token, path, headers) => {
    if (!token.startsWith(OAUTH_TOKEN_PREFIX)) return undefined
    const resource = path === undefined ? null : findResource(path, settings)
    if (resource === null) return NOBODY
    const audiences = possibleOrigins(headers, settings.baseURL).map((origin) => origin + resource)
    return orUnavailable(() => read(token, audiences))
  }
}
