import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, fingerprint, sha256 } from './fingerprint.ts'

describe('fingerprint', () => {
  it('is the same for the same JSON with any order of members', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.infiniteStream(fc.nat()), async (value, random) => {
        expect(await fingerprint(shuffle(value, random))).toBe(await fingerprint(value))
      }),
    )
  })

  it('differs for different JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, two) => {
        expect((await fingerprint(one)) === (await fingerprint(two))).toBe(isSame(one, two))
      }),
    )
  })

  it('differs if one value of the JSON is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.nat(), async (value, at) => {
        const changed = changeOne(value, at)
        expect(isSame(value, changed)).toBe(false)
        expect(await fingerprint(changed)).not.toBe(await fingerprint(value))
      }),
    )
  })

  it('distinguishes similar values', async () => {
    const bodies = [undefined, null, '', 'null', [], {}, [null], [[]], [1, 2], [12], ['1', '2'], ['1,2'], '{}']
    const more = [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { 'a":1,"b': 2 },
      { a: 1, b: 2 },
      { '': 1 },
      JSON.parse('1e999'),
      false,
      0,
    ]
    const prints = await Promise.all([...bodies, ...more].map(fingerprint))
    expect(new Set(prints).size).toBe(prints.length)
  })
})

describe('sha256', () => {
  it('matches the standard test vector', async () => {
    expect(await sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('canonicalJson', () => {
  it('sorts members and adds no whitespace', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'ü"' }], a: true })).toBe('{"a":true,"b":[1,{"c":"ü\\"","d":null}]}')
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1}}')
  })
})

/** Returns the same value with the members of every object in another order. */
function shuffle(value: unknown, random: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((inner) => shuffle(inner, random))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => ({ name, inner, at: random.next().value as number }))
  const sorted = entries.toSorted((a, b) => a.at - b.at)
  return Object.fromEntries(sorted.map(({ name, inner }) => [name, shuffle(inner, random)]))
}

/** Returns the value with one value, member or element changed. */
function changeOne(value: unknown, at: number): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || at % 3 === 0) return [...value, null]
    return value.map((inner, index) => (index === at % value.length ? changeOne(inner, at >> 1) : inner))
  }
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
    const name = names[at % names.length]
    if (name === undefined || at % 3 === 0) return { ...value, [`${names.join('')}+`]: null }
    const entries = Object.entries(value).map(([known, inner]) => [
      known,
      known === name ? changeOne(inner, at >> 1) : inner,
    ])
    return Object.fromEntries(entries)
  }
  return typeof value === 'string' ? `${value}.` : typeof value === 'number' ? String(value) : [value]
}

/** Compares member by member, independently of the implementation. 0 and -0 are the same. */
function isSame(one: unknown, two: unknown): boolean {
  if (typeof one !== 'object' || typeof two !== 'object' || one === null || two === null) return one === two
  if (Array.isArray(one) !== Array.isArray(two)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(two).length &&
    names.every((name) => Object.hasOwn(two, name) && isSame(Reflect.get(one, name), Reflect.get(two, name)))
  )
}
