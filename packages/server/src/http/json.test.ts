import { isApiError } from '@sdk/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

function issueOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!isApiError(error)) throw error
    return [error.status, error.details[0]?.code, error.details[0]?.pointer]
  }
}

const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`

const TOO_MANY = 'has more than 200000 values, weighted by their validation cost'

describe('parseJson', () => {
  it('returns the same as JSON.parse if no name is repeated', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value)
        if (/\\u(?:0000|d[89ab])|"__proto__":/i.test(text)) return
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each([
    ['a repeated name', '{"a":1,"a":2}', 'DUPLICATE_FIELD', '/a'],
    ['a name repeated with an escape', String.raw`{"a":1,"\u0061":2}`, 'DUPLICATE_FIELD', '/a'],
    ['a __proto__', '{"a":[{"__proto__":{"isAdmin":true}}]}', 'UNKNOWN_FIELD', '/a/0/__proto__'],
    ['an escaped __proto__', String.raw`{"\u005f_proto__":1}`, 'UNKNOWN_FIELD', '/__proto__'],
    [
      'a nested repeated name, next to colons in strings',
      '{"a:b":"c:d","e":[{"x":":","x":1}]}',
      'DUPLICATE_FIELD',
      '/e/0/x',
    ],
    ['an unpaired surrogate', String.raw`{"a":["\ud800"]}`, 'INVALID_UNICODE', '/a/0'],
    ['a NUL character', String.raw`{"a":"\u0000"}`, 'INVALID_UNICODE', '/a'],
    ['an unpaired surrogate in a name', String.raw`{"\udc00":1}`, 'INVALID_UNICODE', ''],
    ['a byte order mark', '\uFEFF{}', 'INVALID_FORMAT', ''],
    ['a trailing comma', '{"a":1,}', 'INVALID_FORMAT', ''],
    ['33 levels', nested(33), 'INVALID_VALUE', '/0'.repeat(32)],
    [
      'a repeated name after a value that is nested too deep',
      `{"a":${nested(20_000)},"a":1}`,
      'INVALID_VALUE',
      `/a${'/0'.repeat(31)}`,
    ],
    ['a number that is too large', '1e999', 'TOO_LARGE', ''],
    ['a number that is too large in an array', '{"a":[0,-1e999]}', 'TOO_LARGE', '/a/1'],
  ])('rejects %s', (_name, text, code, pointer) => {
    expect(issueOf(text)).toEqual([400, code, pointer])
  })

  it.each([
    ['colons and quotes in strings', String.raw`{"a":"b:\"c\":","d\\":{"a":":"}}`],
    ['the same name in different objects', '[{"a":1},{"a":2}]'],
    ['a surrogate pair', String.raw`"\ud83d\ude00"`],
    ['32 levels', nested(32)],
  ])('accepts %s', (_name, text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each([
    ['2,000 objects and arrays', `{"a":[${'[],'.repeat(1_997)}[]]}`],
    ['200,000 values', `[${'1,'.repeat(199_999)}1]`],
  ])('accepts %s', (_name, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['one object too many', `[${'{},'.repeat(1_999)}{}]`, 'has more than 2000 objects and arrays'],
    ['one array too many', `{"a":[${'[],'.repeat(1_998)}[]]}`, 'has more than 2000 objects and arrays'],
    ['one value too many', `[${'1,'.repeat(200_000)}1]`, TOO_MANY],
    ['one member too many', `{${Array.from({ length: 200_001 }, (_, at) => `"${at}":1`).join(',')}}`, TOO_MANY],
  ])('rejects %s with 413', (_name, text, reason) => {
    const message = `the JSON ${reason}: send fewer`
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ status: 413, code: 'CONTENT_TOO_LARGE', message }))
  })
})
