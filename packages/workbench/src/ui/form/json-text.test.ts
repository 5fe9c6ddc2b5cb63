import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSyntaxError, parseJsonTree, printJson, tryParseJsonTree } from './json-text.ts'
import { fromJsValue, isSameJson, toJsValue } from './json-tree.ts'

describe('parseJsonTree', () => {
  it('round-trips everything that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(JSON.stringify(toJsValue(parseJsonTree(text)))).toBe(JSON.stringify(value))
        expect(printJson(parseJsonTree(text), '')).toBe(JSON.stringify(value))
        expect(printJson(parseJsonTree(text))).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })

  it('accepts and rejects the same texts as JSON.parse', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '0',
      '1.5',
      'e3',
      'true',
      'null',
      ' ',
      '\\',
      '\n',
      'x',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        expect(tryParseJsonTree(text) !== undefined, text).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['1e21', '-0', '12345678901234567890', '1.0', '0.1000', '1e400', '1E+2'])(
    'keeps the digits of %s',
    (text) => {
      expect(printJson(parseJsonTree(text))).toBe(text)
    },
  )

  it('keeps duplicate members and the order of members, including numeric names', () => {
    const text = '{"b":1,"2":2,"1":3,"b":4,"__proto__":{"x":1}}'
    expect(printJson(parseJsonTree(text), '')).toBe(text)
  })

  it('reads __proto__ as a member, not as the prototype', () => {
    const plain = toJsValue(parseJsonTree('{"__proto__":{"polluted":true}}')) as Record<string, unknown>
    expect(Object.keys(plain)).toEqual(['__proto__'])
    expect(plain['polluted']).toBeUndefined()
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    ['', 0, 'a value'],
    ['{"a":}', 5, 'a value'],
    ['{"a" 1}', 5, 'a colon'],
    ['[1 2]', 3, 'a comma or ]'],
    ['{a:1}', 1, 'double quotes'],
    ['1 1', 2, 'the end'],
    ['["a\nb"]', 1, 'escaped'],
  ])('returns the position of the error in %j', (text, at, what) => {
    const issue = catchSyntaxError(text)
    expect(issue.at).toBe(at)
    expect(issue.message).toContain(what)
  })

  it('rejects deeply nested texts without a stack overflow', () => {
    expect(catchSyntaxError('['.repeat(100_000)).message).toContain('deep')
  })
})

describe('isSameJson', () => {
  it('compares values, not their notation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isSameJson(fromJsValue(value), parseJsonTree(JSON.stringify(value, null, 1)))).toBe(true)
      }),
    )
  })

  it('distinguishes numbers that are equal in JavaScript', () => {
    expect(isSameJson(parseJsonTree('12345678901234567890'), parseJsonTree('12345678901234567891'))).toBe(false)
    expect(isSameJson(parseJsonTree('1.0'), parseJsonTree('1'))).toBe(true)
    expect(isSameJson(parseJsonTree('{"a":1,"b":2}'), parseJsonTree('{"b":2,"a":1}'))).toBe(true)
    expect(isSameJson(parseJsonTree('{"a":1}'), parseJsonTree('{"a":1,"b":2}'))).toBe(false)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function catchSyntaxError(text: string): JsonSyntaxError {
  try {
    parseJsonTree(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
  }
  throw new Error('expected a syntax error')
}
