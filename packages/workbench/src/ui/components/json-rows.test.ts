import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROWS_PER_PAGE, toPathText, toValuePreview, toRows } from './json-rows.ts'

const AS_IS = { toggled: new Set<string>(), shown: new Map<string, number>() }

function lines(value: unknown, opening = AS_IS): string[] {
  return toRows(value, opening).map(({ path, hidden }) => (hidden > 0 ? `${hidden} more` : toPathText(path)))
}

describe('toRows', () => {
  it('returns one row for a scalar or an empty list', () => {
    expect(lines('text')).toEqual(['$'])
    expect(lines(null)).toEqual(['$'])
    expect(lines([])).toEqual(['$'])
  })

  it('expands small values near the root and values that the user expanded', () => {
    const value = { a: { b: { c: { d: 1 } } } }
    expect(lines(value)).toEqual(['$', 'a', 'a.b', 'a.b.c'])
    expect(lines(value, { ...AS_IS, toggled: new Set(['["a","b","c"]']) })).toContain('a.b.c.d')
    expect(lines(value, { ...AS_IS, toggled: new Set(['["a"]']) })).toEqual(['$', 'a'])
  })

  it('shows long lists page by page', () => {
    const value = Array.from({ length: 250 }, (_, index) => index)
    const rows = lines(value)
    expect(rows).toHaveLength(1 + ROWS_PER_PAGE + 1)
    expect(rows.at(-1)).toBe('150 more')
    expect(lines(value, { ...AS_IS, shown: new Map([['[]', 250]]) })).toHaveLength(251)
  })

  it('creates unique keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const keys = toRows(value, AS_IS).map(({ key }) => key)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })
})

describe('toPathText', () => {
  it('returns a JavaScript path to the value', () => {
    expect(toPathText([])).toBe('$')
    expect(toPathText(['items', 0, 'title'])).toBe('items[0].title')
    expect(toPathText([0, 'two words', 'a-b'])).toBe('[0]["two words"]["a-b"]')
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.nat(50)), { minLength: 1, maxLength: 4 }), (path) => {
        const parts = [...toPathText(path).matchAll(/\[(\d+|"(?:[^"\\]|\\.)*")\]|\.?([A-Za-z_$][\w$]*)/gy)]
        const read = parts.map(([, bracket, name]) => name ?? (JSON.parse(bracket ?? '') as string | number))
        expect(read).toEqual(path)
      }),
    )
  })
})

describe('toValuePreview', () => {
  it('returns the content in one line', () => {
    expect(toValuePreview([1, 2])).toBe('[2]')
    expect(toValuePreview({})).toBe('{}')
    expect(toValuePreview({ a: 1, b: 2, c: 3, d: 4, e: 5 })).toBe('{ a, b, c, d, … }')
    expect(toValuePreview('a "b"')).toBe('"a \\"b\\""')
    expect(toValuePreview(undefined)).toBe('undefined')
  })
})
