import type { RequestAuth } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createSessionCache } from './session-cache.ts'

/** Creates a cache with a fake clock and a database that responds on demand. */
function createTest(keepMs = 5_000) {
  let time = 1_000
  const waiting: ((auth: RequestAuth | null) => void)[] = []
  const cache = createSessionCache({ ttlMs: keepMs, now: () => time })
  const read = (): Promise<RequestAuth | null> => new Promise((resolve) => waiting.push(resolve))
  return {
    cache,
    get: (key = 'key', until = Infinity) => cache.get({ key, until, read }),
    /** Returns the number of pending reads. */
    waiting: () => waiting.length,
    respond: (auth: RequestAuth | null = authOf()) => waiting.shift()?.(auth),
    passes: (ms: number) => void (time += ms),
  }
}

function authOf({ id = 'session', userId = 'ada', expiresAt = 1_000_000 } = {}): RequestAuth {
  const session = { id, userId, expiresAt: new Date(expiresAt).toISOString() }
  return { session, via: 'cookie', getUser: () => Promise.reject(new Error('not asked for')) }
}

describe('createSessionCache', () => {
  it('caches a session until its TTL expires', async () => {
    const { get, respond, passes, waiting } = createTest()
    const first = get()
    respond()
    const auth = await first
    passes(4_999)
    expect(await get()).toBe(auth)
    passes(1)
    const again = get()
    expect(waiting()).toBe(1)
    respond(null)
    expect(await again).toBeNull()
  })

  it('does not cache expired or missing sessions', async () => {
    const { get, respond, passes, waiting } = createTest()
    const short = get('short')
    respond(authOf({ expiresAt: 1_100 }))
    const none = get('none')
    respond(null)
    await Promise.all([short, none])
    passes(100)
    void get('short')
    void get('none')
    expect(waiting()).toBe(2)
  })

  it('reads once for concurrent calls', async () => {
    const { get, respond, waiting } = createTest(0)
    const all = [get(), get(), get('other'), get()]
    expect(waiting()).toBe(2)
    respond(authOf({ id: 'one' }))
    respond(authOf({ id: 'two' }))
    expect((await Promise.all(all)).map((auth) => auth?.session.id)).toEqual(['one', 'one', 'two', 'one'])
  })

  it('rejects all concurrent calls if a read fails, and retries for the next', async () => {
    const cache = createSessionCache({ ttlMs: 5_000 })
    const fail = (): Promise<never> => Promise.reject(new Error('no database'))
    const getWith = (read: () => Promise<RequestAuth | null>): Promise<RequestAuth | null> =>
      cache.get({ key: 'key', until: Infinity, read })
    const all = await Promise.allSettled([getWith(fail), getWith(fail)])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const auth = authOf()
    expect(await getWith(() => Promise.resolve(auth))).toBe(auth)
  })

  it.each(['session', 'ada'])('clears entries by the id %j', async (id) => {
    const { cache, get, respond, waiting } = createTest()
    const both = [get('hers'), get('other')]
    respond()
    respond(authOf({ id: 'another', userId: 'bob' }))
    const [, other] = await Promise.all(both)
    cache.clear(new Set([id]))
    expect(cache.find('hers')).toBeNull()
    expect(await get('other')).toBe(other)
    void get('hers')
    expect(waiting()).toBe(1)
  })

  it('does not cache or reuse a read that started before a clear', async () => {
    const { cache, get, respond, waiting } = createTest()
    const before = get()
    cache.clear(new Set(['ada']))
    const after = get()
    expect(waiting()).toBe(2)
    respond()
    expect(await before).not.toBeNull()
    respond(null)
    expect(await after).toBeNull()
    void get()
    expect(waiting()).toBe(1)
  })

  it('does not cache a session beyond the expiry of its token', async () => {
    const { cache, get, respond, passes } = createTest()
    const reading = get('token', 2_000)
    respond()
    const auth = await reading
    passes(999)
    expect(cache.find('token')).toBe(auth)
    passes(1)
    expect(cache.find('token')).toBeNull()
  })

  it('caches a read if only other ids were cleared meanwhile', async () => {
    const { cache, get, respond } = createTest()
    const reading = get()
    cache.clear(new Set(['bob']))
    respond()
    const auth = await reading
    expect(auth).not.toBeNull()
    expect(cache.find('key')).toBe(auth)
  })

  it('caches at most 10,000 sessions, until their TTL expires', async () => {
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
