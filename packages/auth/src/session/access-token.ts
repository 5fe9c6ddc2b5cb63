import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long an access token is good for; a client gets the next one from its session. */
export const ACCESS_TOKEN_MS: number = 10 * 60_000

/** What an access token says: whose session, and until when (both in the client's hands, so nothing else). */
export interface AccessClaim {
  readonly sessionId: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Writes a claim so that only the holder of the secret can have written it; fits headers and subprotocols. */
export function signAccessToken(claim: AccessClaim, secret: string): string {
  const body = Buffer.from(JSON.stringify([claim.sessionId, claim.expiresAt])).toString('base64url')
  return `${body}.${signature(body, secret)}`
}

/** The claim of a token that we wrote and that has not expired; null for anything else. */
export function verifyAccessToken(token: string, secret: string, now: number = Date.now()): AccessClaim | null {
  const [body = ''] = token.split('.', 1)
  if (!isEqualInConstantTime(token, `${body}.${signature(body, secret)}`)) return null
  // Signed, so it is what signAccessToken wrote.
  const [sessionId, expiresAt] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, number]
  return expiresAt > now ? { sessionId, expiresAt } : null
}

/** The purpose is part of the key: nothing else signed with the same secret passes for an access token. */
function signature(body: string, secret: string): string {
  const key = createHmac('sha256', secret).update('sdk access token').digest()
  return createHmac('sha256', key).update(body).digest('base64url')
}

function isEqualInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
