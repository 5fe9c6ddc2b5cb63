import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { atFullCost } from '../../cheap-passwords.ts'
import type { RawResponse } from '../http/wire.ts'
import { expectEnvelope } from './expect-envelope.ts'
import { ADA, GRACE } from './people.ts'
import { type Running, startAuth } from './subject.ts'
import { oneWay } from './ways.ts'

/** More than the server hashes and queues at once, even if it has finished some before the last one arrives. */
const GUESSES = 2 * availableParallelism() + 150
/** The timeout of the test that hashes at full cost. On a busy machine, a hash takes half a second. */
const timeout = 300_000
const UNKNOWN = 'nobody@example.com'
const wrong = { password: 'wrong password' }
const many = <T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))
const statusesOf = (responses: readonly RawResponse[]): number[] =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b)
const repeated = (...runs: [status: number, times: number][]): number[] =>
  runs.flatMap(([status, times]) => Array<number>(times).fill(status))

/** Returns a response without its request id and date. */
const essence = ({ status, headers, body }: RawResponse): unknown => {
  const { 'x-request-id': _id, date: _date, ...rest } = headers
  return { status, headers: rest, body }
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

function apart({ known, unknown }: { known: number[]; unknown: number[] }): number {
  const [one, two] = [median(known), median(unknown)]
  return Math.abs(one - two) / Math.max(one, two)
}

describe.each(oneWay)('password guessing on $way', (way) => {
  const subject = startAuth(way)

  describe('enumeration', () => {
    it('sign-in returns the same response for known and unknown addresses', async () => {
      const known = await subject.post('/sign-in/email', { email: ADA.email, ...wrong })
      const unknown = await subject.post('/sign-in/email', { email: UNKNOWN, ...wrong })
      expect(essence(unknown)).toEqual(essence(known))
      expect(known.status).toBe(401)
      expectEnvelope(known)
    })

    it('password reset returns the same response for known and unknown addresses', async () => {
      const known = await subject.post('/request-password-reset', { email: ADA.email })
      const unknown = await subject.post('/request-password-reset', { email: UNKNOWN })
      expect(essence(unknown)).toEqual(essence(known))
      expect(known.status).toBe(200)
      await expect.poll(() => subject.mails.map(({ to }) => to)).toEqual([ADA.email])
    })

    it('sign-in hashes one password for known and unknown addresses', async () => {
      const scrypt = vi.spyOn(crypto, 'scrypt')
      syncBuiltinESMExports()
      const hashes: number[] = []
      for (const email of [ADA.email, UNKNOWN]) {
        scrypt.mockClear()
        await subject.post('/sign-in/email', { email, ...wrong })
        hashes.push(scrypt.mock.calls.length)
      }
      scrypt.mockRestore()
      syncBuiltinESMExports()
      expect(hashes).toEqual([1, 1])
    })

    /** Returns the difference of the two medians, as a share of the longer one. */
    async function difference(path: string, tries: number): Promise<number> {
      const times = { known: [] as number[], unknown: [] as number[] }
      for (let at = 0; at < tries; at++)
        for (const who of at % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
          const start = performance.now()
          await subject.post(path, { email: who === 'known' ? ADA.email : UNKNOWN })
          times[who].push(performance.now() - start)
        }
      return apart(times)
    }

    it('password reset takes the same time within 20 %, in two of three runs', async () => {
      const runs: number[] = []
      for (let run = 0; run < 3; run++) runs.push(await difference('/request-password-reset', 5))
      expect(runs.filter((run) => run < 0.2).length, JSON.stringify(runs)).toBeGreaterThanOrEqual(2)
    })
  })

  describe('limits', () => {
    let limited: Running
    beforeAll(async () => {
      limited = await subject.another({ throttle: {}, trustedProxies: ['127.0.0.1'] })
    })
    const from = (at: number | string) => ({ 'x-forwarded-for': typeof at === 'string' ? at : `198.51.100.${at}` })

    it('sign-in allows 10 attempts per minute and IP address, then returns 429 with Retry-After', async () => {
      const responses = await many(12, (at) =>
        limited.post('/sign-in/email', { email: `user${at}@example.com`, ...wrong }, from('192.0.2.1')),
      )
      expect(statusesOf(responses)).toEqual(repeated([401, 10], [429, 2]))
      const refused = responses.filter(({ status }) => status === 429)
      for (const response of refused) {
        expectEnvelope(response)
        expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1)
        expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60)
      }
      expect((await limited.post('/sign-in/email', GRACE, from('192.0.2.2'))).status).toBe(200)
    })

    it('sign-up allows 5 attempts per minute and IP address', async () => {
      const responses = await many(7, (at) =>
        limited.post('/sign-up/email', { ...ADA, email: `new${at}@example.com` }, from('192.0.2.3')),
      )
      expect(statusesOf(responses)).toEqual(repeated([200, 5], [429, 2]))
    })

    it.each([
      ['known', ADA.email],
      ['unknown', UNKNOWN],
    ])(
      'sign-in locks a %s account for 15 min after 10 failures, for any letter case and IP address',
      async (kind, email) => {
        const spellings = [email, email.toUpperCase(), `${email.slice(0, 1).toUpperCase()}${email.slice(1)}`]
        const offset = kind === 'known' ? 0 : 100
        const statuses: number[] = []
        let last: RawResponse | undefined
        for (let at = 0; at < 12; at++) {
          last = await limited.post('/sign-in/email', { email: spellings[at % 3], ...wrong }, from(offset + at))
          statuses.push(last.status)
        }
        expect(statuses).toEqual(repeated([401, 10], [429, 2]))
        expect(Number(last?.headers['retry-after'])).toBeGreaterThan(800)
        expect(Number(last?.headers['retry-after'])).toBeLessThanOrEqual(900)
        // Also with the correct password, or the limit would reveal it.
        expect((await limited.post('/sign-in/email', { ...ADA, email }, from(offset + 50))).status).toBe(429)
      },
    )

    it('an attacker cannot lock users out at an IP address where they have signed in', async () => {
      expect((await limited.post('/sign-in/email', GRACE, from('203.0.113.1'))).status).toBe(200)
      await many(12, (at) => limited.post('/sign-in/email', { email: GRACE.email, ...wrong }, from(200 + at)))
      expect((await limited.post('/sign-in/email', GRACE, from('203.0.113.200'))).status).toBe(429)
      expect((await limited.post('/sign-in/email', GRACE, from('203.0.113.1'))).status).toBe(200)
    })

    it('password reset allows 5 mails per account, known or unknown', async () => {
      for (const email of [ADA.email, UNKNOWN]) {
        const responses = await many(7, (at) =>
          limited.post('/request-password-reset', { email }, from(`2001:db8:${at}::1`)),
        )
        expect(statusesOf(responses)).toEqual(repeated([200, 5], [429, 2]))
      }
    })
  })

  it(
    `${GUESSES} concurrent wrong sign-ins do not block the event loop, and some return 503 with Retry-After`,
    { timeout },
    () =>
      atFullCost(async () => {
        const url = `http://127.0.0.1:${subject.port}`
        const guess = (at: number): Promise<Response> =>
          fetch(`${url}/api/auth/sign-in/email`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ email: `user${at}@example.com`, ...wrong }),
          })
        let turns = 0
        const timer = setInterval(() => (turns += 1), 1)
        let isOver = false
        const attack = many(GUESSES, guess).finally(() => (isOver = true))
        const meanwhile = await Promise.all([fetch(`${url}/healthz`), fetch(`${url}/api/me`)])
        expect([...meanwhile.map(({ status }) => status), isOver]).toEqual([200, 401, false])
        const responses = await attack
        clearInterval(timer)
        const busy = responses.filter(({ status }) => status === 503)
        expect(responses.filter(({ status }) => status === 401).length + busy.length).toBe(GUESSES)
        const hashed = GUESSES - busy.length
        expect(hashed).toBeGreaterThanOrEqual(2 * availableParallelism() + 50)
        expect(busy.length).toBeGreaterThan(0)
        for (const response of busy) {
          expect([response.headers.get('retry-after'), response.headers.get('cache-control')]).toEqual([
            '1',
            'no-store',
          ])
          expect(await response.json()).toMatchObject({
            code: 'SERVICE_UNAVAILABLE',
            error: { code: 'SERVICE_UNAVAILABLE' },
          })
        }
        // A hash takes tens of milliseconds: computed in the event loop, each would delay the timer for as long. This
        // counts turns instead of measuring delays, since a busy machine delays hashes and timers alike.
        expect(turns).toBeGreaterThan(3 * hashed)
        expect((await fetch(`${url}/api/auth/ok`)).status).toBe(200)
      }),
  )
})
