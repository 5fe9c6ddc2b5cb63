import type { RequestAuth } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createSessionCache } from './session-cache.ts'

/** A cache with a clock, and a database that answers when it is told to. */
function createTest(keepMs = 5_000) {
  let time = 1_000
  const waiting: ((auth: RequestAuth | null) => void)[] = []
  const cache = createSessionCache({ ttlMs: keepMs, now: () => time })
  const read = (): Promise<RequestAuth | null> => new Promise((resolve) => waiting.push(resolve))
  return {
    cache,
    get: (key = 'key', until = Infinity) => cache.get({ key, until, read }),
    /** The reads that wait for an answer. */
    waiting: () => waiting.length,
    answer: (auth: RequestAuth | null = authOf()) => waiting.shift()?.(auth),
    passes: (ms: number) => void (time += ms),
  }
}

function authOf({ id = 'session', userId = 'ada', expiresAt = 1_000_000 } = {}): RequestAuth {
  const session = { id, userId, expiresAt: new Date(expiresAt).toISOString() }
  return { session, via: 'cookie', getUser: () => Promise.reject(new Error('not asked for')) }
}

describe('createSessionCache', () => {
  it('believes what was read for a while', async () => {
    const { get, answer, passes, waiting } = createTest()
    const first = get()
    answer()
    const auth = await first
    passes(4_999)
    expect(await get()).toBe(auth)
    passes(1)
    const again = get()
    expect(waiting()).toBe(1)
    answer(null)
    expect(await again).toBeNull()
  })

  it('keeps no session for longer than it lasts, and never one that is not there', async () => {
    const { get, answer, passes, waiting } = createTest()
    const short = get('short')
    answer(authOf({ expiresAt: 1_100 }))
    const none = get('none')
    answer(null)
    await Promise.all([short, none])
    passes(100)
    void get('short')
    void get('none')
    expect(waiting()).toBe(2)
  })

  it('reads once for all who ask at the same time', async () => {
    const { get, answer, waiting } = createTest(0)
    const all = [get(), get(), get('other'), get()]
    expect(waiting()).toBe(2)
    answer(authOf({ id: 'one' }))
    answer(authOf({ id: 'two' }))
    expect((await Promise.all(all)).map((auth) => auth?.session.id)).toEqual(['one', 'one', 'two', 'one'])
  })

  it('tells all who ask of a failure, and tries again for the next', async () => {
    const cache = createSessionCache({ ttlMs: 5_000 })
    const fail = (): Promise<never> => Promise.reject(new Error('no database'))
    const ask = (read: () => Promise<RequestAuth | null>): Promise<RequestAuth | null> =>
      cache.get({ key: 'key', until: Infinity, read })
    const all = await Promise.allSettled([ask(fail), ask(fail)])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const auth = authOf()
    expect(await ask(() => Promise.resolve(auth))).toBe(auth)
  })

  it.each(['session', 'ada'])('forgets by the id %j', async (id) => {
    const { cache, get, answer, waiting } = createTest()
    const both = [get('hers'), get('other')]
    answer()
    answer(authOf({ id: 'another', userId: 'bob' }))
    const [, other] = await Promise.all(both)
    cache.clear(new Set([id]))
    expect(cache.find('hers')).toBeNull()
    expect(await get('other')).toBe(other)
    void get('hers')
    expect(waiting()).toBe(1)
  })

  it('does not keep what was read before a change, nor gives it to who asks after it', async () => {
    const { cache, get, answer, waiting } = createTest()
    const before = get()
    cache.clear(new Set(['ada']))
    const after = get()
    expect(waiting()).toBe(2)
    answer()
    expect(await before).not.toBeNull()
    answer(null)
    expect(await after).toBeNull()
    void get()
    expect(waiting()).toBe(1)
  })

  it('keeps nothing for longer than what it was asked by', async () => {
    const { cache, get, answer, passes } = createTest()
    const reading = get('token', 2_000)
    answer()
    const auth = await reading
    passes(999)
    expect(cache.find('token')).toBe(auth)
    passes(1)
    expect(cache.find('token')).toBeNull()
  })

  it('keeps what was read while others changed', async () => {
    const { cache, get, answer } = createTest()
    const reading = get()
    cache.clear(new Set(['bob']))
    answer()
    const auth = await reading
    expect(auth).not.toBeNull()
    expect(cache.find('key')).toBe(auth)
  })

  it('keeps ten thousand at most, and none that is too old', async () => {
    const { cache, passes } = createTest()
    const sessions = Array.from({ length: 10_001 }, (_, index) => authOf({ id: `s${index}` }))
    for (const auth of sessions)
      await cache.get({ key: auth.session.id, until: Infinity, read: () => Promise.resolve(auth) })
    const isKept = (index: number): boolean => cache.find(`s${index}`) === sessions[index]
    expect([isKept(0), isKept(1), isKept(10_000)]).toEqual([false, true, true])
    passes(5_000)
    expect(isKept(10_000)).toBe(false)
  })
})
