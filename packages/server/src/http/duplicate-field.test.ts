import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDuplicate } from './duplicate-field.ts'

describe('findDuplicate', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    [String.raw`{"a":1,"\u0061":2}`, ['a']],
    ['[0, [{ "b" : {"c": [ ], "d":"x\\"y", "c" : null}} ]]', ['1', '0', 'b', 'c']],
    ['{"a":{"x":1},"b":{"x":-1.5e+3,"y":true,"x":false}}', ['b', 'x']],
  ])('finds it in %s', (text, path) => {
    expect(findDuplicate(text)).toEqual(path)
  })

  it('finds none where there is none', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findDuplicate(JSON.stringify(JSON.parse(text), null, 1))).toBeNull()
      }),
    )
  })
})
