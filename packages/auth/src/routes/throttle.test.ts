import { type Engine, memoryEngine } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createAttemptCounters } from './counts.ts'
import { type ThrottledAttempt, createThrottle } from './throttle.ts'
import { resolveThrottle } from './throttle-limits.ts'

const DOWN = new Proxy({} as Engine, {
  get() {
    throw new Error('down')
  },
})

/** The engines that a throttle must work with: with quotas, without, and none at all. */
const ENGINES: Record<string, (now: () => number) => Engine> = {
  'an engine with quotas': (now) => memoryEngine({ now }),
  'an engine without quotas': (now) => {
    const { take: _take, ...rest } = memoryEngine({ now })
    return rest
  },
  'an engine that is down': () => DOWN,
}

function create(make: (now: () => number) => Engine, processes = 1) {
  let time = 1_000_000_000_000
  const now = (): number => time
  const engine = make(now)
  const limits = resolveThrottle()
  if (limits === false) throw new Error('there are limits')
  const throttles = Array.from({ length: processes }, () =>
    createThrottle({ limits, secret: 'secret', counts: createAttemptCounters(() => engine, now), now }),
  )
  let turn = 0
  /** Makes an attempt with this result; returns its status, or 429 if it is throttled. */
  async function attempt(status: number, overrides: Partial<ThrottledAttempt> = {}): Promise<number> {
    try {
      const throttle = throttles[turn++ % processes]
      const tried: ThrottledAttempt = { kind: 'secret', address: '192.0.2.1', account: 'ada', ...overrides }
      const settle = await throttle?.(tried)
      await settle?.({ status, entered: status < 400 && tried.account !== null ? [tried.account] : [] })
      return status
    } catch (error) {
      return (error as { status: number }).status
    }
  }
  const wait = (seconds: number): unknown => (time += seconds * 1000)
  const waitFor = async (overrides: Partial<ThrottledAttempt>): Promise<number | undefined> =>
    throttles[0]?.({ kind: 'secret', address: '192.0.2.1', account: 'ada', ...overrides }).then(
      () => undefined,
      (error: { retryAfter: number }) => error.retryAfter,
    )
  return { attempt, wait, waitFor }
}

async function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let index = 0; index < count; index++) results.push(await work(index))
  return results
}

const from = (index: number): string => `198.51.100.${index}`

for (const [kind, make] of Object.entries(ENGINES)) {
  describe(`createThrottle with ${kind}`, () => {
    it('limits an address to ten failures per minute across accounts', async () => {
      const { attempt, wait } = create(make)
      const statuses = await times(12, (index) => attempt(401, { account: `user ${index}` }))
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
      expect(await attempt(401, { address: from(1), account: 'user 99' })).toBe(401)
      wait(60)
      expect(await attempt(401, { account: 'user 100' })).toBe(401)
    })

    it('counts an IPv6 network as one address', async () => {
      const { attempt } = create(make)
      const statuses = await times(11, (index) =>
        attempt(401, { address: `2001:db8::${index}`, account: `u ${index}` }),
      )
      expect(statuses.at(-1)).toBe(429)
    })

    it('does not count successful attempts', async () => {
      const { attempt } = create(make)
      expect(new Set(await times(30, (index) => attempt(200, { account: `user ${index}` })))).toEqual(new Set([200]))
    })

    it('locks an account for 15 minutes after ten failures from any address', async () => {
      const { attempt, wait, waitFor } = create(make)
      const statuses = await times(12, (index) => attempt(401, { address: from(index) }))
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
      expect(await attempt(200, { address: from(99) })).toBe(429)
      wait(300)
      expect(await waitFor({ address: from(98) })).toBe(600)
      wait(599)
      expect(await attempt(200, { address: from(97) })).toBe(429)
      wait(1)
      expect(await attempt(200, { address: from(97) })).toBe(200)
    })

    it('does not lock out a user at a known address', async () => {
      const { attempt } = create(make)
      expect(await attempt(200, { address: from(200) })).toBe(200)
      await times(12, (index) => attempt(401, { address: from(index) }))
      expect(await attempt(200, { address: from(100) })).toBe(429)
      expect(await attempt(200, { address: from(200) })).toBe(200)
    })

    it('limits failures from a known address', async () => {
      const { attempt, wait } = create(make)
      await attempt(200)
      const statuses = await times(11, async () => {
        wait(10)
        return attempt(401)
      })
      expect(statuses.at(-1)).toBe(429)
      expect(await attempt(200, { address: from(1) })).toBe(200)
    })

    it('applies the same limits to concurrent attempts', async () => {
      const { attempt } = create(make)
      const all = await Promise.all(Array.from({ length: 200 }, (_, index) => attempt(401, { address: from(index) })))
      expect(all.filter((status) => status === 401)).toHaveLength(10)
      const one = await Promise.all(Array.from({ length: 200 }, (_, index) => attempt(401, { account: `u ${index}` })))
      expect(one.filter((status) => status === 401)).toHaveLength(10)
    })

    it('counts new accounts, but not invalid sign-ups', async () => {
      const { attempt } = create(make)
      const signUp = (status: number): Promise<number> => attempt(status, { kind: 'sign-up', account: null })
      await times(20, () => signUp(400))
      expect(await times(6, () => signUp(200))).toEqual([200, 200, 200, 200, 200, 429])
      expect(await attempt(200, { kind: 'sign-up', address: from(1) })).toBe(200)
    })

    it('counts emails by address and by account', async () => {
      const { attempt } = create(make)
      const byAddress = await times(6, (index) => attempt(200, { kind: 'mail', account: `user ${index}` }))
      expect(byAddress).toEqual([200, 200, 200, 200, 200, 429])
      const byAccount = await times(6, (index) => attempt(200, { kind: 'mail', address: from(index) }))
      expect(byAccount).toEqual([200, 200, 200, 200, 200, 429])
    })

    it('does not count server errors', async () => {
      const { attempt } = create(make)
      await times(30, () => attempt(503))
      expect(await attempt(401)).toBe(401)
    })

    it('limits accounts if the address is unknown', async () => {
      const { attempt } = create(make)
      expect((await times(11, () => attempt(401, { address: undefined }))).at(-1)).toBe(429)
      expect(await attempt(401, { address: undefined, account: 'grace' })).toBe(401)
    })
  })
}

describe('createThrottle in several processes', () => {
  it('counts attempts together', async () => {
    const { attempt } = create((now) => memoryEngine({ now }), 3)
    const statuses = await times(12, (index) => attempt(401, { address: from(index) }))
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  })
})

describe('resolveThrottle', () => {
  it('throws if a limit is invalid or unknown, and fills in defaults', () => {
    expect(() => resolveThrottle({ signIn: { quota: 0, window: 60 } })).toThrow('throttle.signIn')
    expect(() => resolveThrottle({ other: { quota: 1, window: 1 } } as never)).toThrow('throttle.other')
    expect(resolveThrottle(false)).toBe(false)
    expect(resolveThrottle({ signUp: { quota: 1, window: 2 } })).toMatchObject({
      signUp: { quota: 1, window: 2 },
      signIn: { quota: 10, window: 60 },
    })
  })
})
