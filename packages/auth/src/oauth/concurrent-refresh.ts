import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { GenericEndpointContext } from '@better-auth/core'
import { findSqlError } from '@sdk/database'
import { APIError, isAPIError } from 'better-auth/api'

/** The prefix of refresh tokens. */
export const REFRESH_TOKEN_PREFIX = 'ort_'

/** How long to wait before each repetition, in ms. */
const DELAYS_MS = [20, 80, 400]

/**
 * Repeats a refresh that Better Auth rejects while another request renews the same refresh token, so that both requests
 * get the same tokens. Clients send such requests when they make several calls with an expired access token. Rejects a
 * grant that is revoked while its tokens are created.
 */
export function withConcurrentRefresh(endpoint: (ctx: never) => Promise<unknown>): object {
  const repeatable = async (ctx: GenericEndpointContext): Promise<unknown> => {
    for (const delay of DELAYS_MS) {
      try {
        return await endpoint(ctx as never).catch(throwRevoked)
      } catch (error) {
        if (!isAPIError(error) || error.body?.['error'] !== 'invalid_grant' || !(await isRenewed(ctx))) throw error
        await setTimeout(delay)
      }
    }
    return endpoint(ctx as never).catch(throwRevoked)
  }
  return Object.assign(repeatable, endpoint)
}

/** The SQLSTATE for a row that refers to a missing row. */
const MISSING_REFERENCE = '23503'

/** Throws `invalid_grant` if the refresh token was deleted before the access token that refers to it was stored. */
function throwRevoked(error: unknown): never {
  if (findSqlError(error)?.code !== MISSING_REFERENCE) throw error
  throw new APIError('BAD_REQUEST', { error: 'invalid_grant', error_description: 'the grant was revoked' })
}

/** Returns whether another request has just renewed the refresh token, and may not have stored its response yet. */
async function isRenewed({ body, context }: GenericEndpointContext): Promise<boolean> {
  const { refresh_token: token } = (body ?? {}) as { refresh_token?: unknown }
  if (typeof token !== 'string') return false
  const value = createHash('sha256').update(token.replace(REFRESH_TOKEN_PREFIX, '')).digest('base64url')
  const where = [{ field: 'token', value }]
  const row = await context.adapter.findOne<{ rotationReplayExpiresAt?: Date | null }>({
    model: 'oauthRefreshToken',
    where,
  })
  return Number(row?.rotationReplayExpiresAt ?? 0) > Date.now()
}
