import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp, createResource, createRouter, memoryStore, relate, belongsTo } from '../index.ts'
import { open, silent } from './live-app.test.fixture.ts'
import { LiveClient } from './live-client.test.fixture.ts'

const taskSchema = z.object({
  title: z.string().max(100),
  team: z.number().int().default(1),
  done: z.boolean().default(false),
})

function createTasks() {
  return createResource('tasks', {
    schema: taskSchema,
    store: memoryStore(),
    access: 'public',
    filter: ['team', 'done', 'title'],
    sort: ['title', 'team'],
    live: true,
  })
}

/** Creates the same app twice in a table of modes: lists are advanced in memory, or read again. */
const MODES = [
  ['in memory', true],
  ['by reading', false],
] as const

describe.each(MODES)('a live list, advanced %s', (_name, canAdvance) => {
  it('has the data of GET after each change', async () => {
    const plain = createApp({ log: silent, router: createRouter().resource('v1', createTasks()) })
    plain['~live'].settings.canAdvance = canAdvance
    const app = await open(plain)
    for (const title of ['a', 'b', 'c']) await app.call('POST /api/v1/tasks', { title })
    const client = await LiveClient.open(app)
    const query = { limit: 2, sort: '-title' }
    const list = await client.subscribe('GET /api/v1/tasks', { query })
    expect(list.data).toEqual(await app.call('GET /api/v1/tasks', { query }))
    const expectSame = async (): Promise<void> => {
      const expected = await app.call('GET /api/v1/tasks', { query })
      await client.until(() => JSON.stringify(list.data) === JSON.stringify(expected), 2_000)
    }
    await app.call('POST /api/v1/tasks', { title: 'd' })
    await expectSame()
    await app.call('PATCH /api/v1/tasks/:id', { title: 'bb' }, { params: { id: 4 } })
    await expectSame()
    await app.call('DELETE /api/v1/tasks/:id', { params: { id: 3 } })
    await expectSame()
    // The row behind the page: without it, hasMore would be stale.
    await app.call('DELETE /api/v1/tasks/:id', { params: { id: 1 } })
    await expectSame()
    expect(list.counts.all).toBe(1)
    await client.close()
  })
})

describe('a live row', () => {
  it('follows its row until the row is deleted', async () => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    await app.call('POST /api/v1/tasks', { title: 'a' })
    const client = await LiveClient.open(app)
    const row = await client.subscribe('GET /api/v1/tasks/:id', { params: { id: 1 } })
    expect(row.data).toMatchObject({ id: 1, title: 'a' })
    await app.call('PATCH /api/v1/tasks/:id', { title: 'b' }, { params: { id: 1 } })
    await client.until(() => (row.data as { title: string }).title === 'b')
    await app.call('DELETE /api/v1/tasks/:id', { params: { id: 1 } })
    await client.until(() => row.error !== null)
    expect(row.error).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } })
  })

  it('can be found by its key', async () => {
    const notes = createResource('notes', {
      schema: z.object({ slug: z.string().max(20), text: z.string().max(20) }),
      store: memoryStore(),
      access: 'public',
      key: 'slug',
      live: true,
    })
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', notes) }))
    await app.call('PUT /api/v1/notes/by-slug/:slug', { text: 'a' }, { params: { slug: 'x' } })
    const client = await LiveClient.open(app)
    const row = await client.subscribe('GET /api/v1/notes/by-slug/:slug', { params: { slug: 'x' } })
    await app.call('PUT /api/v1/notes/by-slug/:slug', { text: 'b' }, { params: { slug: 'x' } })
    await client.until(() => (row.data as { text: string }).text === 'b')
    await app.call('PATCH /api/v1/notes/:id', { slug: 'y' }, { params: { id: 1 } })
    await client.until(() => row.error !== null)
    expect(row.error?.status).toBe(404)
  })
})

describe('the messages of live data', () => {
  it('include only the change', async () => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    for (const title of ['a', 'b', 'c']) await app.call('POST /api/v1/tasks', { title })
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    await app.call('PATCH /api/v1/tasks/:id', { title: 'bb' }, { params: { id: 2 } })
    await client.until(() => list.counts.changes === 1)
    expect(JSON.parse(list.texts.at(-1) ?? '')).toEqual({
      list: list.list,
      v: 2,
      cut: [2],
      put: [[1, expect.objectContaining({ id: 2, title: 'bb' })]],
      tag: expect.any(String),
    })
  })

  it('respond with same if the client has the current data', async () => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    await app.call('POST /api/v1/tasks', { title: 'a' })
    const client = await LiveClient.open(app)
    const { data, tag } = await client.subscribe('GET /api/v1/tasks')
    const again = await client.subscribe('GET /api/v1/tasks', {}, { data, tag })
    expect(again.counts).toEqual({ all: 0, same: 1, changes: 0 })
    await app.call('POST /api/v1/tasks', { title: 'b' })
    const changed = await client.subscribe('GET /api/v1/tasks', {}, { data, tag })
    expect(changed.counts.all).toBe(1)
    await client.until(() => again.counts.changes === 1)
    expect(again.data).toEqual(changed.data)
  })

  it('end a subscription', async () => {
    const plain = createApp({ log: silent, router: createRouter().resource('v1', createTasks()) })
    const app = await open(plain)
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    expect(plain['~live'].inspect().subscriptions).toBe(1)
    client.end(list)
    await client.until(() => plain['~live'].inspect().subscriptions === 0)
    expect(plain['~live'].inspect().lists).toEqual([])
    await client.subscribe('GET /api/v1/tasks')
    await client.close()
    expect(plain['~live'].inspect().subscriptions).toBe(0)
  })

  it('respond to a sync after all changes before it', async () => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    await app.call('POST /api/v1/tasks', { title: 'a' })
    await client.sync(list)
    expect(list.data).toEqual(await app.call('GET /api/v1/tasks'))
  })

  it.each([
    [{ sub: 'a', route: 'GET /api/v1/tasks' }],
    [{ sub: 1, route: 'POST /api/v1/tasks' }],
    [{ sub: 1, route: 'GET /api/v1/tasks', query: 'a' }],
    [{ sync: ['a'] }],
    [{ sync: Array.from({ length: 51 }, (_, at) => at) }],
    ['text'],
    [null],
  ])('reject %j with 400', async (message) => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    const socket = await app.socket('/ws/_live')
    socket.send(message)
    await expect(socket.next()).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it.each([
    ['GET /api/v1/other', {}, 404],
    ['GET /healthz', {}, 404],
    ['GET /api/v1/tasks/:id', {}, 400],
    ['GET /api/v1/tasks/:id', { params: { id: 'x' } }, 400],
    ['GET /api/v1/tasks/:id', { params: { id: 7 } }, 404],
    ['GET /api/v1/tasks', { query: { limit: 0 } }, 400],
    ['GET /api/v1/tasks', { query: { team: { a: 1 } } }, 400],
    ['GET /api/v1/tasks', { query: { cursor: 'x' } }, 400],
  ])('end %s %j with an error', async (route, options, status) => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    const { error } = await client.subscribe(route, options)
    expect(error?.status).toBe(status)
  })

  it('limit the subscriptions of a connection', async () => {
    const app = await open(createApp({ log: silent, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    for (let count = 0; count < 50; count += 1) {
      const { error } = await client.subscribe('GET /api/v1/tasks', { query: { team: count } })
      expect(error).toBeNull()
    }
    const { error } = await client.subscribe('GET /api/v1/tasks')
    expect(error).toMatchObject({ status: 429 })
  })

  it('count as one request if they ask for the same data many times at once', async () => {
    const rateLimit = { default: { quota: 10, window: 60 } }
    const app = await open(createApp({ log: silent, rateLimit, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    client.send({ sync: Array.from({ length: 50 }, () => list.message.sub) })
    await client.sync(list)
    expect((await client.subscribe('GET /api/v1/tasks')).error).toBeNull()
  })

  it('wait with a sync that exceeds the rate limit', async () => {
    const rateLimit = { default: { quota: 4, window: 4 } }
    const app = await open(createApp({ log: silent, rateLimit, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    const start = performance.now()
    for (let count = 0; count < 4; count += 1) await client.sync(list)
    expect(performance.now() - start).toBeGreaterThan(500)
    expect(list.error).toBeNull()
  })

  it('count toward the rate limit', async () => {
    const rateLimit = { default: { quota: 3, window: 60 } }
    const app = await open(createApp({ log: silent, rateLimit, router: createRouter().resource('v1', createTasks()) }))
    const client = await LiveClient.open(app)
    await client.subscribe('GET /api/v1/tasks')
    await client.subscribe('GET /api/v1/tasks')
    expect((await client.subscribe('GET /api/v1/tasks')).error?.status).toBe(429)
  })
})

describe('resources that are not live', () => {
  it('are rejected with NOT_LIVE', async () => {
    const plain = createResource('plain', { schema: taskSchema, store: memoryStore(), access: 'public' })
    const tasks = relate(
      createResource('tasks', {
        schema: z.object({ plainId: z.number().int() }),
        store: memoryStore(),
        access: 'public',
        live: true,
      }),
      { plain: belongsTo(plain, 'plainId') },
    )
    const app = await open(
      createApp({ log: silent, router: createRouter().resource('v1', plain).resource('v1', tasks) }),
    )
    const client = await LiveClient.open(app)
    expect((await client.subscribe('GET /api/v1/plain')).error).toMatchObject({
      status: 400,
      error: { code: 'NOT_LIVE' },
    })
    expect((await client.subscribe('GET /api/v1/tasks')).error).toBeNull()
    const expanded = await client.subscribe('GET /api/v1/tasks', { query: { expand: ['plain'] } })
    expect(expanded.error?.error.code).toBe('NOT_LIVE')
  })

  it('are definition errors if the store cannot announce changes', () => {
    const { watch: _, ...store } = createTasks().store
    expect(() => createResource('tasks', { schema: taskSchema, store, access: 'public', live: true })).toThrow(
      /the store cannot announce changes/,
    )
    const plain = createResource('plain', { schema: taskSchema, store: memoryStore(), access: 'public' })
    expect(() =>
      createResource('tasks', {
        schema: taskSchema,
        store: memoryStore(),
        access: 'public',
        live: { access: [plain] },
      }),
    ).toThrow(/live.access contains plain, whose changes are not announced/)
  })
})
