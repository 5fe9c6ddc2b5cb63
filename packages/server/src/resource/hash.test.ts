import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toHash } from './hash.ts'

it('toHash returns different hashes for different texts', () => {
  const hashes = new Set(Array.from({ length: 50_000 }, (_, index) => toHash(`[1,"${index}"]`)))
  expect(hashes.size).toBe(50_000)
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(toHash(one) === toHash(other)).toBe(one === other)
    }),
  )
  expect(toHash('')).toMatch(/^[a-z0-9]+$/)
})
