import { assert, constantFrom, property, string, uuid } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

const redactor = createRedactor()

/** Returns part of a secret. The secrets are generated, so that secret scanners do not report them. */
const many = (count: number): string => 'aB3dE6gH9'.repeat(12).slice(0, count)
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJhZGEifQ', many(43)].join('.')
const SECRETS: readonly string[] = [
  JWT,
  ...['s1', '7s'].map(
    (id) => `${Buffer.from(JSON.stringify([id, 1_763_254_800_000])).toString('base64url')}.${many(43)}`,
  ),
  ...['oat', 'ort'].map((kind) => `${kind}_${many(32)}`),
  `sk-${many(48)}`,
  `sk-proj-${many(20)}_${many(40)}-${many(20)}`,
  `sk-ant-api03-${many(80)}`,
  `AIza${many(35)}`,
  ...['sk_live', 'rk_test'].map((kind) => `${kind}_${many(24)}`),
  `ghp_${many(36)}`,
  `ghs_${many(36)}`,
  `github_pat_${many(22)}_${many(59)}`,
  'AKIA' + 'ABCD2345'.repeat(2),
  `xoxb-${'1234567890'.repeat(2)}-${many(24)}`,
  `xoxp-${'1234567890'.repeat(2)}`,
]
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', many(64), many(40), '-----END RSA PRIVATE KEY-----'].join('\n')

describe('createRedactor with text that looks like a secret', () => {
  it.each(SECRETS)('redacts %s in a field, plain text, a header, a URL and escaped text', (secret) => {
    for (const [text, hidden] of [
      [JSON.stringify({ note: secret, n: 1 }), '{"note":"[redacted]","n":1}'],
      [JSON.stringify({ note: `use\n${secret}\tnow` }), String.raw`{"note":"use\n[redacted]\tnow"}`],
      [`refused: (${secret}), sorry`, 'refused: ([redacted]), sorry'],
      [secret, '[redacted]'],
    ] as const)
      expect(redactor.text(text)).toBe(hidden)
    expect(redactor.headers(['X-Note', `of ${secret}`])).toEqual([['x-note', 'of [redacted]']])
    expect(redactor.target(`/api/x/${secret}?q=${secret}`)).toBe('/api/x/[redacted]?q=[redacted]')
  })

  it.each([
    [`curl -H 'Authorization: Bearer ${many(20)}'`, "curl -H 'Authorization: Bearer [redacted]'"],
    [`bearer ${'abcd'.repeat(8)}==`, 'bearer [redacted]'],
    [`Bearer ${JWT}, twice ${JWT}`, 'Bearer [redacted], twice [redacted]'],
    ['cannot reach postgres://ada:hunter2@db:5432/app', 'cannot reach postgres://ada:[redacted]@db:5432/app'],
    ['redis://:hunter2@cache', 'redis://:[redacted]@cache'],
    ['mysql://ada:hunt@r2@db, mysql://bob:h@db', 'mysql://ada:[redacted]@db, mysql://bob:[redacted]@db'],
    [`key:\n${KEY}\nend`, 'key:\n[redacted]\nend'],
    [JSON.stringify({ pem: KEY, n: 1 }), '{"pem":"[redacted]","n":1}'],
    [KEY.slice(0, 90), '[redacted]'],
    [`{"apiKey":"sk-${many(40)}","x":"sk-${many(40)}"}`, '{"apiKey":"[redacted]","x":"[redacted]"}'],
    [`{"secret":{"a":"${JWT}","b":1},"c":2}`, '{"secret":"[redacted]","c":2}'],
  ])('redacts %s to %s', (text, hidden) => {
    expect(redactor.text(text)).toBe(hidden)
  })

  it('redacts a secret that is split across chunks', () => {
    const pieces = ['{"note":"', JWT.slice(0, 9), JWT.slice(9, 40), `${JWT.slice(40)}"}`]
    expect(redactor.chunks(pieces)).toEqual(['{"note":"', '[redacted]', '', '"}'])
  })
})

describe('createRedactor with text that does not look like a secret', () => {
  it.each([
    'The bearer of this letter brings bread, and the Bearer authentication-required error',
    'Bearer <token>, Bearer $TOKEN, Bearer ${token}',
    'a3bb189e-8bf9-3888-9912-ace4e6543002',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
    'W/"18-aB3dE6gH9aB3dE6gH9"',
    'sk-fading-circle sk-loading-spinner-container-12 risk-adjusted-return-2026-of-many-banks',
    'task-aB3dE6gH9aB3dE6gH9aB3dE6gH9 disk-0123456789abcdef0123456789abcdef',
    'eyJ, eyJhbGciOiJIUzI1NiJ9 alone, and heyJude.some.thing',
    'AKIA is how they begin; AKIAABCD, MAKIAABCDEFGHIJKLMNOP',
    'xoxo-and-many-kisses, ghp_short, github_pat_, AIza, risk_live_, task_test_aB3dE6gH9aB3dE6gH9',
    'http://localhost:3000/@vite/client, mailto:ada@example.com, https://example.com/a:b@c',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYH\n-----END PUBLIC KEY-----',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  ])('does not change %s', (text) => {
    expect(redactor.text(text)).toBe(text)
    expect(redactor.text(JSON.stringify({ note: text }))).toBe(JSON.stringify({ note: text }))
  })

  it('does not redact ids, hashes and words', () => {
    const hash = string({ unit: constantFrom(...'0123456789abcdef'.split('')), minLength: 32, maxLength: 64 })
    assert(
      property(uuid(), hash, string({ unit: 'grapheme-ascii' }), (id, digest, words) => {
        const text = JSON.stringify({ id, digest, words })
        expect(redactor.text(text)).toBe(text)
      }),
    )
  })

  it('processes each hostile text in less than 5 seconds of CPU time', () => {
    for (const part of [
      'eyJ',
      '.eyJaaaaaaaaaa',
      'sk-',
      ' sk-a',
      'Bearer ',
      'bearer a',
      '://a:',
      '://a:@',
      'AIza',
      '-----BEGIN PRIVATE KEY-----',
    ]) {
      const started = process.cpuUsage()
      redactor.text(part.repeat(500_000 / part.length))
      redactor.target(`/?${part.repeat(500_000 / part.length)}`)
      const { user } = process.cpuUsage(started)
      expect([part, user < 5_000_000]).toEqual([part, true])
    }
  })
})
