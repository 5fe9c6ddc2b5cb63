import { createHmac, timingSafeEqual } from 'node:crypto'

/** The lifetime of an access token in ms. A client uses its session to get the next one. */
export const ACCESS_TOKEN_MS: number = 10 * 60_000

/** The claim in an access token. Clients can read it, so it contains only the session id and the expiry time. */
export interface AccessClaim {
  readonly sessionId: string
  /** The expiry time in ms since the Unix epoch. */
  readonly expiresAt: number
}

/** Signs a claim with the secret. The token contains only characters that headers and subprotocols allow. */
export function signAccessToken(claim: AccessClaim, secret: string): string {
  const body = Buffer.from(JSON.stringify([claim.sessionId, claim.expiresAt])).toString('base64url')
  return `${body}.${signature(body, secret)}`
}

/** Returns a token's claim, or null if the token has expired or was not signed with this secret. */
export function verifyAccessToken(token: string, secret: string, now: number = Date.now()): AccessClaim | null {
  const [body = ''] = token.split('.', 1)
  if (!isEqualInConstantTime(token, `${body}.${signature(body, secret)}`)) return null
  // The signature is valid, so signAccessToken wrote this JSON.
  const [sessionId, expiresAt] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, number]
  return expiresAt > now ? { sessionId, expiresAt } : null
}

/** Signs a body. The key includes the purpose, so that no other value signed with the secret is a valid token. */
function signature(body: string, secret: string): string {
  const key = createHmac('sha256', secret).update('sdk access token').digest()
  return createHmac('sha256', key).update(body).digest('base64url')
}

function isEqualInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
