import type { RequestContext } from '../context/context.ts'
import { KEYED_METHODS, parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { KeyedRequest } from '../idempotency/idempotency.ts'

/** Returns the request as it is compared under its `Idempotency-Key`, or null if it has no key. */
export function toKeyedRequest(ctx: RequestContext, body: unknown): KeyedRequest | null {
  const { incoming, path, rateLimitKey } = ctx
  const { method } = incoming
  const key = KEYED_METHODS.has(method) ? parseIdempotencyKey(incoming.header('idempotency-key')) : null
  if (key === null) return null
  const { signal } = incoming // created on first use
  return { principal: principalOf(ctx), owner: rateLimitKey, method, path, key, body, signal }
}

/**
 * Returns the owner of an `Idempotency-Key`. For a caller that is not signed in, the owner includes the credentials
 * that a middleware may check. The owner is stored as a hash.
 */
function principalOf({ auth, rateLimitKey, incoming }: RequestContext): string {
  if (auth !== null) return `user ${auth.session.userId}`
  return JSON.stringify([rateLimitKey, incoming.header('authorization'), incoming.header('cookie')])
}
