import { createHmac, timingSafeEqual } from 'node:crypto'

/** The lifetime of an access token; a client gets the next one with its session. */
export const ACCESS_TOKEN_MS: number = 10 * 60_000

/** The claim of an access token. Clients can read it, so it contains nothing else. */
export interface AccessClaim {
  readonly sessionId: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Signs a claim with the secret; the token is valid in headers and subprotocols. */
export function signAccessToken(claim: AccessClaim, secret: string): string {
  const body = Buffer.from(JSON.stringify([claim.sessionId, claim.expiresAt])).toString('base64url')
  return `${body}.${signature(body, secret)}`
}

/** Returns the claim of a token that was signed with this secret and has not expired; otherwise null. */
export function verifyAccessToken(token: string, secret: string, now: number = Date.now()): AccessClaim | null {
  const [body = ''] = token.split('.', 1)
  if (!isEqualInConstantTime(token, `${body}.${signature(body, secret)}`)) return null
  // The signature is valid, so signAccessToken wrote this JSON.
  const [sessionId, expiresAt] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, number]
  return expiresAt > now ? { sessionId, expiresAt } : null
}

/** Signs a body. The purpose is part of the key: no other value signed with this secret is a valid access token. */
function signature(body: string, secret: string): string {
  const key = createHmac('sha256', secret).update('sdk access token').digest()
  return createHmac('sha256', key).update(body).digest('base64url')
}

function isEqualInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
