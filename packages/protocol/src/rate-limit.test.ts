import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromPolicyHeader, fromRateLimitHeader, fromRetryAfter, toPolicyHeader, toRateLimitHeader } from './index.ts'

const name = fc.string({ minLength: 1 }).filter((text) => /^[\x20-\x7e]+$/.test(text))
const count = fc.nat({ max: 999_999_999 })

describe('RateLimit-Policy', () => {
  it('is written as in the draft', () => {
    expect(
      toPolicyHeader([
        { name: 'default', quota: 600, window: 60 },
        { name: 'agent', quota: 120, window: 60 },
      ]),
    ).toBe('"default";q=600;w=60, "agent";q=120;w=60')
  })

  it('is parsed to the values that were written', () => {
    const policies = fc.array(fc.record({ name, quota: count, window: count }), { maxLength: 20 })
    fc.assert(
      fc.property(policies, (given) => {
        expect(fromPolicyHeader(toPolicyHeader(given))).toEqual(given)
      }),
    )
  })

  it('omits a policy without quota or window', () => {
    expect(fromPolicyHeader('"a";q=1, "b";w=1, "c";q=1;w=2;qu="requests";pk=:YQ==:')).toEqual([
      { name: 'c', quota: 1, window: 2 },
    ])
  })
})

describe('RateLimit', () => {
  it('is written as in the draft', () => {
    expect(toRateLimitHeader([{ name: 'default', remaining: 599, reset: 1 }])).toBe('"default";r=599;t=1')
  })

  it('is parsed to the values that were written', () => {
    const states = fc.array(fc.record({ name, remaining: count, reset: count }), { maxLength: 20 })
    fc.assert(
      fc.property(states, (given) => {
        expect(fromRateLimitHeader(toRateLimitHeader(given))).toEqual(given)
      }),
    )
  })

  it.each([
    ['default;r=1;t=2', [{ name: 'default', remaining: 1, reset: 2 }]],
    ['"default";a=1;w=2', [{ name: 'default', remaining: 1, reset: 2 }]],
    ['  default ; r=1 ; t=2  ', [{ name: 'default', remaining: 1, reset: 2 }]],
    ['"a, b;r=9";r=1;t=2', [{ name: 'a, b;r=9', remaining: 1, reset: 2 }]],
    [String.raw`"a\"b\\";r=1;t=2`, [{ name: String.raw`a"b\ `.trim(), remaining: 1, reset: 2 }]],
    ['x;note=";r=9;t=9";r=1;t=2', [{ name: 'x', remaining: 1, reset: 2 }]],
    ['x;r=1;r=2;t=3', [{ name: 'x', remaining: 2, reset: 3 }]],
    ['?, "a";r=1;t=2, "unfinished;r=1', [{ name: 'a', remaining: 1, reset: 2 }]],
    ['x;r=-1;t=2', []],
    ['x;r=1.5;t=2', []],
    ['x;r="1";t=2', []],
    ['x;r=1', []],
    ['"";r=1;t=2', []],
    ['limit=100, remaining=50, reset=5', []],
    ['', []],
    [null, []],
    [undefined, []],
  ])('is parsed from %j to %j', (header, states) => {
    expect(fromRateLimitHeader(header)).toEqual(states)
  })
})

describe('RateLimit and RateLimit-Policy', () => {
  it('are parsed without errors from any text, to integers only', () => {
    const pieces = fc.array(fc.constantFrom('"', '\\', ';', ',', '=', 'r', 't', 'q', 'w', '1', ' ', 'a'), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((list) => list.join('')),
        ),
        (header) => {
          for (const { remaining, reset } of fromRateLimitHeader(header))
            expect([remaining, reset].every(Number.isSafeInteger)).toBe(true)
          for (const { quota, window } of fromPolicyHeader(header))
            expect([quota, window].every(Number.isSafeInteger)).toBe(true)
        },
      ),
    )
  })

  it.each([
    `x${';a=  '.repeat(800)};A`,
    '"'.repeat(4096),
    String.raw`\"`.repeat(2048),
    `"${'\\'.repeat(4000)}`,
    ';'.repeat(4096),
  ])('are parsed quickly, even if they are malicious: %#', (header) => {
    const before = process.cpuUsage() // CPU time does not depend on other processes
    fromRateLimitHeader(header)
    fromPolicyHeader(header)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(500)
  })

  it('are ignored if they are too long', () => {
    expect(fromRateLimitHeader(`x;r=1;t=2${' '.repeat(5000)}`)).toEqual([])
  })

  it.each(['', 'é', 'a\nb'])('reject the policy name %j', (bad) => {
    expect(() => toPolicyHeader([{ name: bad, quota: 1, window: 1 }])).toThrow(TypeError)
    expect(() => toRateLimitHeader([{ name: bad, remaining: 1, reset: 1 }])).toThrow(TypeError)
  })
})

describe('fromRetryAfter', () => {
  const now = Date.parse('2030-01-01T00:00:00.500Z')

  it.each([
    ['0', 0],
    [' 120 ', 120],
    ['Tue, 01 Jan 2030 00:00:10 GMT', 10],
    ['Tuesday, 01-Jan-30 00:00:10 GMT', 10],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon 5', undefined],
    ['Jan 5', undefined],
    ['Tue, 99 Foo 2030 00:00:10 GMT', undefined],
    ['9999999999', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('converts %j to %s seconds', (header, seconds) => {
    expect(fromRetryAfter(header, now)).toBe(seconds)
  })

  it('never throws and never returns a negative time', () => {
    fc.assert(fc.property(fc.string(), (header) => (fromRetryAfter(header, now) ?? 0) >= 0))
  })
})
