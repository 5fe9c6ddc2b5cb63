import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseEncoding, ENCODINGS } from './accept-encoding.ts'

const all = (): boolean => true

describe('chooseEncoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['BR ; Q=1.0', 'br'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['identity;q=1, br;q=0.9', 'identity'],
    ['identity, br', 'br'],
    ['br;q=2', 'identity'],
    ['br;q=0.001', 'br'],
    ['*;q=0', 'identity'],
  ])('maps the header %j to %s', (header, expected) => {
    expect(chooseEncoding(header, all)).toBe(expected)
  })

  it('chooses only available encodings', () => {
    expect(chooseEncoding('br, gzip', (encoding) => encoding !== 'br')).toBe('gzip')
    expect(chooseEncoding('br, gzip', (encoding) => encoding === 'identity')).toBe('identity')
  })

  it('never chooses a rejected encoding, for any header', () => {
    const item = fc.tuple(
      fc.constantFrom('br', 'gzip', 'identity', '*', 'zstd'),
      fc.constantFrom('', ';q=0', ';q=0.7', ';q=x'),
    )
    fc.assert(
      fc.property(fc.uniqueArray(item, { selector: ([name]) => name }), fc.string(), (items, noise) => {
        const header = items.map(([name, weight]) => name + weight).join(', ')
        const chosen = chooseEncoding(header, all)
        const isRejected = items.some(([name, weight]) => name === chosen && [';q=0', ';q=x'].includes(weight))
        expect(isRejected && chosen !== 'identity').toBe(false)
        expect(ENCODINGS).toContain(chooseEncoding(noise, all))
      }),
    )
  })
})
