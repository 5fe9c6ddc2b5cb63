import { describe, expect, it, vi } from 'vitest'
import {
  ApiError,
  createAgent,
  createApp,
  createRouter,
  createSocket,
  readForm,
  type Middleware,
  type AppHandle,
} from './index.ts'
import { testApp } from './testing.ts'

const app = await testApp(
  createApp({
    log: { debug() {}, info() {}, warn() {}, error() {} },
    agents: [
      createAgent('count', {
        async *handler(_ctx, to: number) {
          for (let n = 1; n <= to; n++) yield n
          if (to > 2) throw new ApiError('CONFLICT', 'too far')
        },
      }),
    ],
    router: createRouter()
      .on('PUT /api/notes/:id', (ctx, input) => ({ id: ctx.params.id, draft: ctx.query['draft'], input }))
      .on('GET /api/list', (ctx) => ctx.query)
      .on('DELETE /api/notes/:id', () => new Response(null, { status: 204, headers: { 'x-gone': 'yes' } }))
      .on('GET /api/page', () => new Response('<p>', { status: 404, headers: { 'content-type': 'text/html' } }))
      .on('GET /api/picture', () => new Response('png', { headers: { 'content-type': 'image/png' } }))
      .on('POST /api/hook', async (ctx) => ({ raw: await ctx.request.text(), type: ctx.header('content-type') }))
      .on('POST /api/photo', async (ctx) => {
        const photo = (await readForm(ctx.request, 1000)).get('photo')
        return { bytes: photo instanceof File ? photo.size : 0 }
      })
      .on('GET /api/me', async (ctx) => (await ctx.auth?.getUser()) ?? null)
      .socket(
        '/ws/chat',
        createSocket({
          open(peer) {
            if (peer.query['room'] === 'private') throw new ApiError('NOT_A_MEMBER', 'members only', { status: 403 })
            return peer.join(peer.query['room'] ?? 'lobby')
          },
          async message(peer, text: string) {
            const user = await peer.auth?.getUser()
            if (text === 'bye') peer.close('enough')
            else if (text === 'throw') throw new ApiError('CONFLICT', 'not that')
            else if (text === 'hush') return
            else await peer.publish(peer.query['room'] ?? 'lobby', `${user?.name ?? 'guest'}: ${text}`)
          },
        }),
      ),
  }),
)

describe('testApp', () => {
  it('collects the chunks of an agent', async () => {
    expect(await app.agent('count').collect(2)).toEqual([1, 2])
  })

  it('returns all chunks of a stream that is called by its route', async () => {
    expect(await app.call('POST /agent/count', 2)).toEqual([1, 2])
    expect(await app.agent('count').call(1)).toEqual([1])
    await expect(app.call('POST /agent/count', 3)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('accepts only options for a route without a body, and serializes them like the client', async () => {
    const query = { done: true, ids: [1, 2], since: new Date(0), none: undefined }
    const written = { done: 'true', ids: '1,2', since: '1970-01-01T00:00:00.000Z' }
    expect(await app.call('GET /api/list', { query })).toEqual(written)
    expect(await app.call('GET /api/list', undefined, { query })).toEqual(written)
    expect(await app.call('GET /api/list')).toEqual({})
  })

  it('returns null for an empty body and a Blob for content that is not JSON', async () => {
    expect(await app.call('DELETE /api/notes/:id', { params: { id: 7 } })).toBeNull()
    const picture = (await app.call('GET /api/picture')) as Blob
    expect([picture.type, await picture.text()]).toEqual(['image/png', 'png'])
    await expect(app.call('GET /api/page')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('sends forms and raw bodies like the client', async () => {
    const form = new FormData()
    form.set('photo', new File(['tea'], 'tea.txt'))
    expect(await app.call('POST /api/photo', form)).toEqual({ bytes: 3 })
    const signed = new Blob(['{ "a":  1 }'], { type: 'application/json' })
    expect(await app.call('POST /api/hook', signed)).toEqual({ raw: '{ "a":  1 }', type: 'application/json' })
    expect(await app.call('POST /api/hook', new Uint8Array([97]), { headers: { 'Content-Type': 'text/x' } })).toEqual({
      raw: 'a',
      type: 'text/x',
    })
  })

  it('returns the unchanged response of send', async () => {
    const gone = await app.send('DELETE /api/notes/:id', { params: { id: 7 } })
    expect([gone.status, gone.headers.get('x-gone')]).toEqual([204, 'yes'])
    const none = await app.send('POST /api/nothing', { any: 'thing' }, { headers: { accept: 'application/json' } })
    expect([none.status, await none.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    const me = await app.as({ name: 'Ada' }).send('GET /api/me')
    expect(await me.json()).toMatchObject({ name: 'Ada' })
  })

  it('does not re-validate the sessions of test users', async () => {
    let checks = 0
    const authenticate = (): null => null
    const getActiveSessions = (): Promise<Map<string, number>> => Promise.resolve(new Map([['', (checks += 1)]]))
    const pass: Middleware = (_ctx, next) => next()
    const session = Object.assign(pass, {
      authenticate,
      getActiveSessions,
      trusts: () => true,
    })
    const chat = createSocket({ message: (peer, text: string) => peer.send(text) })
    const router = createRouter().use('/ws/*', session).socket('/ws/chat', chat)
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const guarded = await testApp(createApp({ router }))
    const socket = await guarded.as({ name: 'Ada' }).socket('/ws/chat')
    await vi.advanceTimersByTimeAsync(120_000)
    vi.useRealTimers()
    socket.send('still there')
    expect(await socket.next()).toBe('still there')
    expect(checks).toBe(0)
    await guarded.close()
  })

  it('rejects with the error of a stream and of a call', async () => {
    await expect(app.agent('count').collect(3)).rejects.toMatchObject({ code: 'CONFLICT', message: 'too far' })
    await expect(app.call('GET /api/nothing')).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  it('fills params and query', async () => {
    const result = await app.call(
      'PUT /api/notes/:id',
      { text: 'x' },
      { params: { id: 'a b' }, query: { draft: true } },
    )
    expect(result).toEqual({ id: 'a b', draft: 'true', input: { text: 'x' } })
  })

  it('calls routes as a signed-in user', async () => {
    expect(await app.call('GET /api/me')).toBeNull()
    const ada = app.as({ name: 'Ada Lovelace' })
    expect(await ada.call('GET /api/me')).toMatchObject({ id: 'ada-lovelace', email: 'ada-lovelace@example.test' })
    expect(await app.as({ name: 'Bob', id: '7', role: 'admin' }).call('GET /api/me')).toMatchObject({
      id: '7',
      role: 'admin',
    })
  })

  it('connects to sockets and reconnects', async () => {
    const [guest, ada] = [await app.socket('/ws/chat'), await app.as({ name: 'Ada' }).socket('/ws/chat')]
    ada.send('hi')
    expect([await guest.next(), await ada.next()]).toEqual(['Ada: hi', 'Ada: hi'])
    await guest.drop()
    ada.send('still there?')
    expect(await guest.next()).toBe('Ada: still there?')
    guest.send('bye')
    await expect(guest.next()).rejects.toMatchObject({ code: 'CLOSED', message: 'enough', status: 0 })
    expect(guest.closedWith).toBe(4000)
    await ada.close()
    await expect(app.socket('/ws/none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('rejects with the reason if the server closes a socket, like the client', async () => {
    const guest = await app.socket('/ws/chat?room=private')
    const rejection = { code: 'NOT_A_MEMBER', message: 'members only', status: 403 }
    await expect(guest.next()).rejects.toMatchObject(rejection)
    await expect(guest.next()).rejects.toMatchObject(rejection)
    expect(guest.closedWith).toBe(4403)
  })

  it('waits for the matching message and keeps the others', async () => {
    const [guest, ada] = [await app.socket('/ws/chat'), await app.as({ name: 'Ada' }).socket('/ws/chat')]
    const later = guest.next((text) => text === 'Ada: two')
    for (const text of ['one', 'two', 'three']) ada.send(text)
    expect(await later).toBe('Ada: two')
    expect(await guest.next((text) => text === 'Ada: three')).toBe('Ada: three')
    expect(await guest.next()).toBe('Ada: one')
    await Promise.all([guest.close(), ada.close()])
  })

  it('returns a message to the first pending call that matches', async () => {
    const guest = await app.socket('/ws/chat')
    const [two, any, other] = [guest.next((text) => text === 'guest: two'), guest.next(), guest.next()]
    for (const text of ['one', 'two', 'three']) guest.send(text)
    expect(await Promise.all([two, any, other])).toEqual(['guest: two', 'guest: one', 'guest: three'])
    await guest.close()
  })

  it('rejects a pending next with the error of another message or of its predicate', async () => {
    const guest = await app.socket('/ws/chat')
    guest.send('one')
    guest.send('throw')
    guest.send('two')
    await expect(guest.next((text) => text === 'guest: two')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await guest.next((text) => text === 'guest: two')).toBe('guest: two')
    const fail = (): never => expect.fail('not so')
    await expect(guest.next(fail)).rejects.toThrow('not so')
    expect(await guest.next()).toBe('guest: one')
    const later = guest.next(fail)
    guest.send('three')
    await expect(later).rejects.toThrow('not so')
    expect(await guest.next()).toBe('guest: three')
    await guest.close()
  })

  it('rejects after a timeout with the received messages', async () => {
    const guest = await app.socket('/ws/chat')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const next = guest.next()
      vi.advanceTimersByTime(29_999)
      vi.advanceTimersByTime(1)
      await expect(next).rejects.toThrow(/^no message received within 30 s$/)
    } finally {
      vi.useRealTimers()
    }
    guest.send('hush')
    guest.send('hi')
    expect(await guest.next()).toBe('guest: hi')
    for (const text of ['a', 'b'.repeat(300), 'c']) guest.send(text)
    await expect(guest.next((text) => text === 'guest: d', { timeoutMs: 50 })).rejects.toThrow(
      `no matching message received within 0.05 s; 3 other messages received:\n  "guest: a"\n  "guest: ${'b'.repeat(192)}…\n  "guest: c"; last message returned by next():\n  "guest: hi"`,
    )
    expect(await guest.next()).toBe('guest: a')
    guest.send('bye')
    await expect(guest.next((text) => text === 'guest: d')).rejects.toMatchObject({ code: 'CLOSED', message: 'enough' })
    expect(await guest.next()).toMatch(/^guest: b+$/)
  })

  it('passes the query of the URL to a socket', async () => {
    const [garden, lobby] = [await app.socket('/ws/chat?room=garden%201'), await app.socket('/ws/chat')]
    lobby.send('in here')
    garden.send('out here')
    expect([await garden.next(), await lobby.next()]).toEqual(['guest: out here', 'guest: in here'])
    await expect(app.socket('/ws/chat?room=a&room=b')).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await Promise.all([garden.close(), lobby.close()])
  })

  it('rejects a path with a query', async () => {
    const call = app.send('GET /api/list?done=true')
    await expect(call).rejects.toThrow(`pass the query as an option, as in call('GET /api/list', { query: { … } })`)
  })

  it('closes its sockets with the app', async () => {
    const closed: string[] = []
    const socket = createSocket({ close: (peer) => void closed.push(peer.auth?.session.userId ?? 'guest') })
    const own = await testApp(createApp({ router: createRouter().socket('/ws/chat', socket) }))
    const [guest, ada] = [await own.socket('/ws/chat'), await own.as({ name: 'Ada' }).socket('/ws/chat')]
    const next = guest.next()
    await Promise.all([own.close(), expect(next).rejects.toThrow('the app was closed')])
    expect(closed.toSorted()).toEqual(['ada', 'guest'])
    await expect(ada.next()).rejects.toThrow('the app was closed')
    await ada.close()
  })

  it('can be passed as an AppHandle', async () => {
    const job = async ({ publish, kv, log, presence, disconnect }: AppHandle): Promise<number> => {
      await publish('garden', 'it is late')
      log.info('counted')
      const count = await kv.increment('job', 'count')
      const there = (await presence('garden')).length
      await disconnect('garden', 'good night')
      return count + there
    }
    const garden = await app.socket('/ws/chat?room=garden')
    expect(await job(app)).toBe(2)
    expect(await garden.next()).toBe('it is late')
    await expect(garden.next()).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'good night' })
    expect(await app.as({ name: 'Ada' }).kv.get('job', 'count')).toBe(1)
  })
})
