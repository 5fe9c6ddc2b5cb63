import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signAccessToken, verifyAccessToken } from './access-token.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const claims = fc.record({ sessionId: fc.string(), expiresAt: fc.integer({ min: 1, max: 4e12 }) })

describe('an access token', () => {
  it('contains its claims in characters that headers and subprotocols allow', () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const token = signAccessToken(claim, SECRET)
        expect(token).toMatch(/^[\w.-]+$/)
        expect(verifyAccessToken(token, SECRET, claim.expiresAt - 1)).toEqual(claim)
      }),
    )
  })

  it('expires at expiresAt', () => {
    const token = signAccessToken({ sessionId: 's', expiresAt: 1000 }, SECRET)
    expect(verifyAccessToken(token, SECRET, 999)).not.toBeNull()
    expect(verifyAccessToken(token, SECRET, 1000)).toBeNull()
  })

  it('is rejected if a character is changed, added or removed, or if the secret differs', () => {
    fc.assert(
      fc.property(claims, fc.nat(), fc.constantFrom('a', 'Z', '0', '_', '-', '.', '='), (claim, place, character) => {
        const token = signAccessToken(claim, SECRET)
        const at = place % token.length
        const forged = [
          token.slice(0, at) + character + token.slice(at + 1),
          token.slice(0, at) + character + token.slice(at),
          token.slice(0, at) + token.slice(at + 1),
          signAccessToken(claim, `${SECRET}!`),
        ]
        const verdicts = forged.filter((other) => other !== token).map((other) => verifyAccessToken(other, SECRET, 0))
        expect(verdicts).toEqual(verdicts.map(() => null))
      }),
    )
  })

  it('is rejected if it is any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => verifyAccessToken(text, SECRET, 0) === null))
  })
})
