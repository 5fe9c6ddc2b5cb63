import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildUrl } from './url.ts'

describe('buildUrl', () => {
  it('joins a base and a path with one slash', () => {
    expect(buildUrl('https://x.dev', '/api/a')).toBe('https://x.dev/api/a')
    expect(buildUrl('https://x.dev/', '/api/a')).toBe('https://x.dev/api/a')
    expect(buildUrl('https://x.dev/base//', '/api/a')).toBe('https://x.dev/base/api/a')
    expect(buildUrl('https://x.dev', '/')).toBe('https://x.dev/')
  })

  it('accepts relative and empty bases', () => {
    expect(buildUrl('', '/api/a')).toBe('/api/a')
    expect(buildUrl('/', '/api/a')).toBe('/api/a')
    expect(buildUrl('/v2/', '/api/a', { query: { q: 1 } })).toBe('/v2/api/a?q=1')
    expect(buildUrl('//cdn.dev', '/api/a')).toBe('//cdn.dev/api/a')
  })

  it("keeps the base's query and drops its fragment", () => {
    expect(buildUrl('https://x.dev/b?tenant=a&q=1#top', '/api/a', { query: { q: 2 } })).toBe(
      'https://x.dev/b/api/a?tenant=a&q=2',
    )
  })

  it('writes lists with commas and dates as ISO 8601, and omits undefined and null', () => {
    const query = { in: ['a', 'b'], at: new Date(0), none: undefined, nil: null, no: false, zero: 0, empty: '' }
    const url = new URL(buildUrl('https://x.dev', '/a', { query }))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      in: 'a,b',
      at: '1970-01-01T00:00:00.000Z',
      no: 'false',
      zero: '0',
      empty: '',
    })
  })

  it('sorts the names in expand, and only these', () => {
    const query = { expand: ['b', 'a'], sort: ['b', 'a'] }
    expect(buildUrl('', '/a', { query })).toBe('/a?expand=a%2Cb&sort=b%2Ca')
    expect(query.expand).toEqual(['b', 'a'])
  })

  it('throws if a query value is an object or a param is missing', () => {
    expect(() => buildUrl('', '/a', { query: { filter: { a: 1 } } })).toThrow(/query\.filter must be .* got object/)
    expect(() => buildUrl('', '/a/:id')).toThrow(/needs params\.id/)
  })

  it('encodes any param so that one decoding of its segment restores it', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value !== '.' && value !== '..')
    fc.assert(
      fc.property(text, (id) => {
        const { pathname } = new URL(buildUrl('https://x.dev/base', '/api/:id/end', { params: { id } }))
        const segments = pathname.split('/')
        expect(segments).toHaveLength(5)
        expect(decodeURIComponent(segments[3] ?? '')).toBe(id)
      }),
    )
  })

  it('encodes any query so that URLSearchParams restores it', () => {
    const entries = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(entries, (query) => {
        const { searchParams } = new URL(buildUrl('https://x.dev', '/a', { query }))
        expect([...searchParams]).toEqual(Object.entries(query))
      }),
    )
  })
})
