import { describe, expect, it, vi } from 'vitest'
import { ADA, startAuthServer } from './auth-server.test.fixture.ts'

const auth = startAuthServer()
const BOB = { ...ADA, email: 'bob@example.com' }

function count(route: string): number {
  return auth.server.requests.filter((request) => request === route).length
}

/** Holds the responses of a route back until the returned function is called. */
function holdBack(route: string): () => void {
  let release = (): void => {}
  auth.slow = route
  auth.hold = new Promise((resolve) => (release = resolve))
  return () => release()
}

describe('tabs of a page', () => {
  it('share a sign-in and a sign-out', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await Promise.all([auth.look(first), auth.look(second)])
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot()).toMatchObject({ user: { id: ADA.email } })
    expect(new Set([first.snapshot().token, second.snapshot().token])).toEqual(new Set(['token-1', 'token-2']))
    await second.signOut()
    await expect.poll(() => first.snapshot()).toMatchObject({ user: null, token: null, error: null })
    expect(await first.token()).toBeNull()
  })

  it('replace the user and the token together', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await Promise.all([auth.look(first), auth.look(second)])
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot().user?.id).toBe(ADA.email)
    const seen: unknown[] = []
    first.subscribe(() => seen.push([first.snapshot().user?.id, first.snapshot().token]))
    await second.signIn(BOB)
    await expect.poll(() => first.snapshot().user?.id).toBe(BOB.email)
    expect(seen).toEqual([[BOB.email, first.snapshot().token]])
    expect(first.snapshot().loading).toBe(false)
  })

  it('get a token of the new session when the same user signs in again', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await Promise.all([auth.look(first), auth.look(second)])
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot().user?.id).toBe(ADA.email)
    const { token } = second.snapshot()
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot().token).not.toBe(token)
    expect(auth.tokens).toBe(4)
  })

  it('return no token if the user signs out while it is requested', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await Promise.all([auth.look(first), auth.look(second)])
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot().user?.id).toBe(ADA.email)
    const before = count('GET /api/auth/get-session')
    const releaseOld = holdBack('/api/auth/get-session')
    const requested = first.token({ force: true })
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(before + 1)
    const releaseNew = holdBack('/api/auth/get-session')
    await second.signOut()
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(before + 2)
    const tokens = count('POST /api/auth/access-token')
    releaseOld()
    await expect.poll(() => count('POST /api/auth/access-token')).toBe(tokens + 1)
    // By the time this request completes, the first tab has received the response for the old session.
    await expect(second.request('GET /nothing')).rejects.toMatchObject({ status: 404 })
    releaseNew()
    expect(await requested).toBeNull()
  })

  it('keep the user if the old session ends before the next one starts', async () => {
    const tab = auth.open()
    await auth.look(tab)
    await tab.signIn(ADA)
    const seen: unknown[] = []
    tab.subscribe(() => seen.push(tab.snapshot().user?.id))
    const release = holdBack('/api/auth/sign-in/email')
    const again = tab.signIn(ADA)
    await expect.poll(() => auth.session).toBe(2)
    const { user } = auth
    auth.user = null
    const requested = tab.token({ force: true })
    // By the time this token arrives, the request of the first tab would also have completed.
    expect(await auth.open().token()).toBeNull()
    auth.user = user
    release()
    await again
    expect(await requested).toBe(tab.snapshot().token)
    expect(new Set(seen)).toEqual(new Set([ADA.email]))
  })

  it('broadcast only that something has changed', async () => {
    const received: unknown[] = []
    const listener = new BroadcastChannel(`sdk.auth ${auth.server.url}/api/auth`)
    listener.onmessage = (event: { data: unknown }) => received.push(event.data)
    await auth.open().signIn(ADA)
    await expect.poll(() => received).toEqual(['changed'])
    listener.close()
  })

  it('apply a change later if they had no subscribers', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await first.signIn(ADA)
    await second.signIn(BOB)
    const userOfFirst = async (): Promise<string | undefined> => {
      await first.token()
      return first.snapshot().user?.id
    }
    await expect.poll(userOfFirst).toBe(BOB.email)
    await second.signOut()
    await new Promise((resolve) => {
      const listener = new BroadcastChannel(`sdk.auth ${auth.server.url}/api/auth`)
      listener.onmessage = () => resolve(listener.close())
      void second.signIn(ADA)
    })
    await auth.look(first)
    await expect.poll(() => first.snapshot().user?.id).toBe(ADA.email)
  })

  it('ignore changes of other servers', async () => {
    const [first, other] = [auth.open(), auth.open({ basePath: '/other' })]
    await Promise.all([auth.look(first), auth.look(other)])
    await first.signIn(ADA)
    await first.signOut()
    expect(count('GET /other/get-session')).toBe(1)
  })

  it('return a token only when the new user is known', async () => {
    const [first, second] = [auth.open(), auth.open()]
    await Promise.all([auth.look(first), auth.look(second)])
    await first.signIn(ADA)
    await expect.poll(() => second.snapshot().user?.id).toBe(ADA.email)
    let release = (): void => {}
    auth.slow = '/api/auth/get-session'
    auth.hold = new Promise((resolve) => (release = resolve))
    const entering = first.signIn(BOB)
    const before = count('GET /api/auth/get-session')
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(before + 2)
    const token = second.token()
    auth.slow = null
    release()
    expect(await token).toBe(second.snapshot().token)
    expect(second.snapshot().user?.id).toBe(BOB.email)
    await entering
  })

  it('work without BroadcastChannel', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    try {
      const tab = auth.open()
      await auth.look(tab)
      await tab.signIn(ADA)
      await tab.signOut()
      expect(tab.snapshot()).toMatchObject({ user: null, error: null })
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe('a page that becomes visible', () => {
  it('reads the session again, at most every 30 s', async () => {
    await auth.look(auth.open())
    auth.emitPageEvent('wake')
    auth.clock.freeze(29_000)
    auth.emitPageEvent('wake')
    auth.emitPageEvent('offline')
    expect(count('GET /api/auth/get-session')).toBe(1)
    auth.clock.freeze(1000)
    auth.emitPageEvent('wake')
    auth.emitPageEvent('wake')
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(2)
    auth.emitPageEvent('wake')
    expect(count('GET /api/auth/get-session')).toBe(2)
  })

  it('keeps its token and its snapshot if nothing has changed', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    const before = tab.snapshot()
    auth.clock.freeze(60_000)
    auth.emitPageEvent('wake')
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(2)
    await tab.token()
    expect(tab.snapshot()).toBe(before)
    expect(auth.tokens).toBe(1)
  })

  it('detects a new user without a broadcast', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    auth.user = { id: 'u2', name: 'Bob' }
    auth.session++
    auth.clock.freeze(60_000)
    auth.emitPageEvent('wake')
    await expect.poll(() => tab.snapshot()).toMatchObject({ user: { id: 'u2' }, token: 'token-2' })
  })

  it('reads the session before it returns a token after a restore', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    auth.user = { id: 'u2', name: 'Bob' }
    auth.session++
    auth.emitPageEvent('restored')
    expect(await tab.token()).toBe('token-2')
    expect(tab.snapshot()).toMatchObject({ user: { id: 'u2' }, token: 'token-2' })
    auth.user = null
    auth.emitPageEvent('restored')
    expect(await tab.token()).toBeNull()
    auth.user = { id: 'u1', name: 'Ada' }
    auth.emitPageEvent('restored')
    await expect.poll(() => tab.snapshot()).toMatchObject({ user: { id: 'u1' } })
    auth.outage = 500
    auth.emitPageEvent('restored')
    await expect(tab.token()).rejects.toMatchObject({ status: 500 })
    expect(tab.snapshot()).toMatchObject({ user: { id: 'u1' }, error: { status: 500 } })
  })

  it.each([
    ['before', 'token-3'],
    ['after', 'token-2'],
  ])('ignores a response from before a restore that arrives %s the new one', async (order, token) => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    const releaseOld = holdBack('/api/auth/get-session')
    auth.clock.freeze(60_000)
    auth.emitPageEvent('wake')
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(2)
    const releaseNew = holdBack('/api/auth/get-session')
    auth.user = { id: 'u2', name: 'Bob' }
    auth.session++
    auth.emitPageEvent('restored')
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(3)
    const releases = order === 'before' ? [releaseOld, releaseNew] : [releaseNew, releaseOld]
    for (const [index, release] of releases.entries()) {
      release()
      await expect.poll(() => count('POST /api/auth/access-token')).toBe(index + 2)
    }
    expect(await tab.token()).toBe(token)
    // By the time this request completes, the old response has also arrived.
    await expect(tab.request('GET /nothing')).rejects.toMatchObject({ status: 404 })
    expect(tab.snapshot()).toMatchObject({ user: { id: 'u2' }, token })
  })

  it('reads the session again immediately after an error', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    auth.outage = 500
    await tab.token({ force: true })
    expect(tab.snapshot()).toMatchObject({ user: { id: 'u1' }, error: { status: 500 } })
    auth.outage = null
    auth.emitPageEvent('wake')
    await expect.poll(() => tab.snapshot()).toMatchObject({ user: { id: 'u1' }, error: null })
  })

  it('gets a new token if the old one has expired', async () => {
    auth.user = { id: 'u1', name: 'Ada' }
    const tab = auth.open()
    await auth.look(tab)
    auth.clock.freeze(86_400_000)
    auth.emitPageEvent('wake')
    expect(await tab.token()).toBe('token-2')
    expect(auth.tokens).toBe(2)
  })

  it('sends no requests without subscribers or after close', async () => {
    const tab = auth.open()
    const stop = await auth.look(tab)
    stop()
    stop()
    auth.clock.freeze(60_000)
    auth.emitPageEvent('wake')
    expect(count('GET /api/auth/get-session')).toBe(1)
    const again = tab.subscribe(() => {})
    await expect.poll(() => count('GET /api/auth/get-session')).toBe(2)
    again()
    tab.close()
    tab.subscribe(() => {})
    expect(count('GET /api/auth/get-session')).toBe(2)
  })
})
