import {
  assert,
  array,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  string,
  uniqueArray,
  nat,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

const redactor = createRedactor(['Pin-Code'])

describe('Redactor.text', () => {
  it.each([
    ['{"password":"hunter2","name":"Ada"}', '{"password":"[redacted]","name":"Ada"}'],
    ['{ "apiKey" : "k" }', '{ "apiKey" : "[redacted]" }'],
    ['{"a":{"accessToken":"t\\"x-of-16-or-more"},"b":1}', '{"a":{"accessToken":"[redacted]"},"b":1}'],
    ['{"tokens":12,"token":null,"hasToken":true}', '{"tokens":12,"token":null,"hasToken":true}'],
    ['{"secrets":["a",{"b":"]"}],"x":1}', '{"secrets":"[redacted]","x":1}'],
    ['{"pin_code":1234}', '{"pin_code":"[redacted]"}'],
    ['{"pass\\u0077ord":"x"}', '{"pass\\u0077ord":"[redacted]"}'],
    [
      'data: {"token":"0123456789abcdef"}\n\ndata: {"token":"fedcba9876543210"}\n\n',
      'data: {"token":"[redacted]"}\n\ndata: {"token":"[redacted]"}\n\n',
    ],
    ['{"token":"Hel"}\n{"token":"lo, all of you there"}\n', '{"token":"Hel"}\n{"token":"lo, all of you there"}\n'],
    ['{"tokens":["Hel","lo"],"password":"x"}', '{"tokens":["Hel","lo"],"password":"[redacted]"}'],
    ['{"tokens":{"token":{"secret":"x"}}}', '{"tokens":{"token":{"secret":"[redacted]"}}}'],
    ['{"tokens":{"cachedInputTokens":5}}', '{"tokens":{"cachedInputTokens":5}}'],
    ['{"tokens":["a:b:c:d:e:f:g:h:i"]}', '{"tokens":"[redacted]"}'],
    ['{"body":"{\\"token\\":\\"0123456789abcdef\\"}"}', '{"body":"{\\"token\\":\\"[redacted]\\"}"}'],
    ['{"body":"{\\"token\\":\\"Hel\\"}"}', '{"body":"{\\"token\\":\\"Hel\\"}"}'],
    ['{"secretToken":"x","tokenPassword":"y"}', '{"secretToken":"[redacted]","tokenPassword":"[redacted]"}'],
    ['{"token":"cut o', '{"token":"[redacted]'],
    ['{"body":"{\\"password\\":\\"x\\",\\"n\\":1}"}', '{"body":"{\\"password\\":\\"[redacted]\\",\\"n\\":1}"}'],
    ['a 5" disk {"secret":"x"}', 'a 5" disk {"secret":"[redacted]"}'],
    ['{"secret":"cut off', '{"secret":"[redacted]'],
    ['no JSON: at all', 'no JSON: at all'],
  ])('redacts %s to %s', (text, hidden) => {
    expect(redactor.text(text)).toBe(hidden)
  })

  it('redacts a secret at any position and returns valid JSON', () => {
    const name = constantFrom('password', 'client_secret', 'API-Key', 'refreshToken', 'Authorization')
    const value = dictionary(string({ maxLength: 5 }), jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    assert(
      property(name, value, nat({ max: 3 }), (field, others, indent) => {
        const plain = Object.fromEntries(Object.entries(others).filter(([key]) => !/[:"\\]/.test(key)))
        const object = {
          before: plain,
          [field]: 'S3CR3T-of-many-characters',
          after: [{ [field]: 'S3CR3T-of-many-characters' }],
        }
        const hidden = redactor.text(JSON.stringify(object, null, indent))
        expect(hidden).not.toContain('S3CR3T-of-many-characters')
        expect(JSON.parse(hidden)).toMatchObject({ [field]: '[redacted]', after: [{ [field]: '[redacted]' }] })
      }),
    )
  })

  it('redacts any secret in JSON nested in JSON strings at any depth', () => {
    const value = oneof(string({ unit: constantFrom('a', '"', '\\', '{', ']', ':', '\n') }), jsonValue({ maxDepth: 1 }))
    const wrap = (text: string, depth: number): string =>
      depth === 0 ? text : JSON.stringify({ inner: wrap(text, depth - 1), n: 1 })
    const unwrap = (text: string, depth: number): unknown =>
      depth === 0 ? JSON.parse(text) : unwrap((JSON.parse(text) as { inner: string }).inner, depth - 1)
    assert(
      property(value, nat({ max: 4 }), (secret, depth) => {
        const hidden = redactor.text(wrap(JSON.stringify({ password: secret, m: 2 }), depth))
        const isHidden = secret !== null && typeof secret !== 'boolean'
        expect(unwrap(hidden, depth)).toEqual({ password: isHidden ? '[redacted]' : secret, m: 2 })
      }),
    )
  })

  it('processes hostile texts within 10 seconds', () => {
    for (const text of [
      '":'.repeat(200_000),
      '{"a":'.repeat(100_000),
      '{"token":'.repeat(50_000) + '1' + '}'.repeat(50_001),
      '\\"'.repeat(300_000),
      ' '.repeat(500_000) + ':',
    ]) {
      const started = performance.now()
      redactor.text(text)
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })
})

describe('Redactor.chunks', () => {
  it('redacts a secret that is split across several chunks', () => {
    const text = '{"password":"hunter2","n":1}\n{"token":"abcdefghijklmnop"}\n'
    assert(
      property(uniqueArray(nat({ max: text.length }), { maxLength: 6 }), (cuts) => {
        const offsets = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const pieces = offsets.slice(1).map((to, at) => text.slice(offsets[at], to))
        expect(redactor.chunks(pieces).join('')).toBe(redactor.text(text))
        expect(redactor.chunks(pieces).length).toBe(pieces.length)
      }),
    )
  })

  it('does not change chunks without secrets', () => {
    assert(
      property(array(string({ unit: constantFrom('a', '"', ':', '\n', '🌍') })), (pieces) => {
        expect(redactor.chunks(pieces)).toEqual(pieces)
      }),
    )
  })
})

describe('Redactor.headers', () => {
  it.each([
    ['Authorization', 'Bearer abc', 'Bearer [redacted]'],
    ['Proxy-Authorization', 'Basic abc', 'Basic [redacted]'],
    ['authorization', 'abc', '[redacted]'],
    ['Cookie', 'a=b', '[redacted]'],
    ['Set-Cookie', 'a=b; Path=/', '[redacted]'],
    ['X-Api-Key', 'k', '[redacted]'],
    ['x-sdk-pass', 'k', '[redacted]'],
    ['set-auth-token', 'k', '[redacted]'],
    ['pin-code', '1', '[redacted]'],
    ['Sec-WebSocket-Protocol', 'sdk.v1, sdk.token.abc.def', 'sdk.v1, sdk.token.[redacted]'],
    ['Referer', 'http://a/?token=x&y=1', 'http://a/?token=[redacted]&y=1'],
    ['Accept', '*/*', '*/*'],
  ])('converts %s: %s to %s', (name, value, hidden) => {
    expect(redactor.headers([name, value])).toEqual([[name.toLowerCase(), hidden]])
  })
})

describe('Redactor.target', () => {
  it.each([
    ['/api/x?token=abc&n=1', '/api/x?token=[redacted]&n=1'],
    ['/api/x?n=1&api%5Fkey=a#b', '/api/x?n=1&api%5Fkey=[redacted]#b'],
    ['/api/token=x', '/api/token=x'],
    ['/api/x?%E0%A4%A=1', '/api/x?%E0%A4%A=1'],
  ])('converts %s to %s', (target, hidden) => {
    expect(redactor.target(target)).toBe(hidden)
  })
})
