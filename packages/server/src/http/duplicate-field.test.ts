import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDuplicate } from './duplicate-field.ts'

describe('findDuplicate', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    [String.raw`{"a":1,"\u0061":2}`, ['a']],
    ['[0, [{ "b" : {"c": [ ], "d":"x\\"y", "c" : null}} ]]', ['1', '0', 'b', 'c']],
    ['{"a":{"x":1},"b":{"x":-1.5e+3,"y":true,"x":false}}', ['b', 'x']],
  ])('finds a duplicate in %s', (text, path) => {
    expect(findDuplicate(text, 32)).toMatchObject({ path, isTooDeep: false })
  })

  it('stops at the maximum depth', () => {
    const text = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)},"a":1}`
    expect(findDuplicate(text, 3)).toMatchObject({ path: ['a', '0', '0'], isTooDeep: true })
  })

  it('returns null if there is no duplicate', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findDuplicate(JSON.stringify(JSON.parse(text), null, 1), 1_000)).toBeNull()
      }),
    )
  })
})
