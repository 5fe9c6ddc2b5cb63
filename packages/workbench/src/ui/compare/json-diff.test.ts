import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqualJson } from './fingerprint.ts'
import { applyDiff, countChanges, diffJson } from './json-diff.ts'

/** Arbitrary JSON with few different words, so that two values have something in common. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, '', 'a', 'b'),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'z', '__proto__', '0'), tie('json'), { maxKeys: 4 }),
  ),
}))
const parsed = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  value.map((one): unknown => JSON.parse(JSON.stringify(one)))

describe('diffJson', () => {
  it('returns a diff that converts one value into the other', () => {
    fc.assert(
      fc.property(parsed(json), parsed(json), (a, b) => {
        expect(isEqualJson(applyDiff(a, diffJson(a, b)), b)).toBe(true)
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(parsed(fc.jsonValue()), parsed(fc.jsonValue()), (a, b) => {
        expect(isEqualJson(applyDiff(a, diffJson(a, b)), b)).toBe(true)
      }),
    )
  })

  it('finds no change in equal values, regardless of the order of their fields', () => {
    fc.assert(
      fc.property(parsed(json), (a) => {
        expect(diffJson(a, JSON.parse(JSON.stringify(a))).kind).toBe('same')
      }),
    )
    expect(diffJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }).kind).toBe('same')
  })

  it('finds a change in values that are not equal', () => {
    fc.assert(
      fc.property(parsed(json), parsed(json), (a, b) => {
        expect(countChanges(diffJson(a, b)) === 0).toBe(isEqualJson(a, b))
      }),
    )
  })

  it('returns fields and items that were added, removed and changed', () => {
    expect(diffJson({ a: 1, b: 2, c: [1, 2, 3] }, { a: 1, b: 3, c: [1, 3], d: null })).toEqual({
      kind: 'object',
      entries: [
        ['a', { kind: 'same', value: 1 }],
        ['b', { kind: 'changed', before: 2, after: 3 }],
        [
          'c',
          {
            kind: 'array',
            items: [
              { kind: 'same', value: 1 },
              { kind: 'removed', value: 2 },
              { kind: 'same', value: 3 },
            ],
          },
        ],
        ['d', { kind: 'added', value: null }],
      ],
    })
  })

  it('compares the content of an item that changed in place', () => {
    const a = [{ id: 1 }, { id: 2, done: false }, { id: 3 }]
    const b = [{ id: 1 }, { id: 2, done: true }, { id: 3 }]
    const diff = diffJson(a, b)
    expect(countChanges(diff)).toBe(1)
    expect(diff).toMatchObject({ items: [{ kind: 'same' }, { kind: 'object' }, { kind: 'same' }] })
  })

  it('distinguishes 1 from "1", null from a missing field, and {} from []', () => {
    expect(diffJson(1, '1').kind).toBe('changed')
    expect(diffJson({}, []).kind).toBe('changed')
    expect(countChanges(diffJson({ a: null }, {}))).toBe(1)
  })

  it('compares two different values of 5 MB within 15 seconds', () => {
    const make = (salt: string): unknown =>
      Array.from({ length: 5_000 }, (_, index) => ({
        id: index,
        text: `${salt}${'x'.repeat(1_000)}`,
        tags: [salt, index],
      }))
    const [a, b] = [make('a'), make('b')]
    const start = performance.now()
    expect(countChanges(diffJson(a, b))).toBe(10_000)
    expect(performance.now() - start).toBeLessThan(15_000)
  })

  it('supports very deeply nested values', () => {
    const deep = (leaf: string): unknown => JSON.parse(`${'['.repeat(3000)}"${leaf}"${']'.repeat(3000)}`)
    expect(diffJson(deep('a'), deep('a')).kind).toBe('same')
    expect(countChanges(diffJson(deep('a'), deep('b')))).toBe(1)
  })
})
