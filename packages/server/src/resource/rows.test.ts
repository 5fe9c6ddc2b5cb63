import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { requireUser } from '../context/require-user.ts'
import { createAgent } from '../define/agent.ts'
import { createApp } from '../app/app.ts'
import { relate } from '../define/relate.ts'
import { countOf } from '../define/relation.ts'
import { createResource } from '../define/resource.ts'
import { createRouter } from '../define/router.ts'
import { testApp, type TestApp } from '../testing.ts'
import { createLog } from '../log/log.ts'
import { memoryStore } from './memory-store.ts'

const events: string[] = []

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string().min(1).max(20), done: z.boolean().default(false) }),
  store: memoryStore(),
  access: ({ user, ctx }) => (user && ctx.header('x-closed') === null ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user.id }),
  filter: ['done'],
  sort: ['title'],
  check({ title }) {
    if (title === 'Coffee') throw new Error('no coffee')
    return undefined
  },
  on: {
    created: ({ title }, ctx) => events.push(`${ctx.route}: ${title}`),
    updated: ({ title }, ctx, before) => events.push(`${ctx.route}: ${before.title} is ${title}`),
    deleted: ({ title }, ctx) => events.push(`${ctx.route}: ${title}`),
  },
})

const helper = createAgent('helper', {
  input: z.object({ titles: z.array(z.string()) }),
  async handler(ctx, { titles }) {
    for (const title of titles) await ctx.rows(tasks).create({ title })
    return (await ctx.rows(tasks).list({ sort: '-title' })).data.map(({ title }) => title)
  },
})

function open(): Promise<TestApp> {
  const router = createRouter()
    .resource('v1', tasks, { deprecated: '2020-01-01', sunset: '2021-01-01' })
    .resource('v2', tasks)
    .on('POST /api/finish/:id', {
      params: z.object({ id: z.coerce.number() }),
      handler: (ctx) => ctx.rows(tasks).update(ctx.params.id, { done: true, title: 'Green tea' }),
    })
    .on('POST /api/put/:id', {
      params: z.object({ id: z.coerce.number() }),
      handler: (ctx) => ctx.rows(tasks).replace(ctx.params.id, { title: 'Water' }),
    })
    .on('POST /api/drop/:id', {
      params: z.object({ id: z.coerce.number() }),
      handler: (ctx) => ctx.rows(tasks).delete(ctx.params.id),
    })
    .on('GET /api/open', async (ctx) => (await ctx.rows(tasks).list({ done: false, limit: 1, count: true })).pagination)
    .on('GET /api/one/:id', {
      params: z.object({ id: z.coerce.number() }),
      handler: (ctx) => ctx.rows(tasks).get(ctx.params.id),
    })
  return testApp(createApp({ router, agents: [helper], log: createLog({ write() {} }) }))
}

describe('ctx.rows', () => {
  it('creates rows as the current user, applies the rules and emits events', async () => {
    const app = await open()
    const [ada, alan] = [app.as({ name: 'Ada' }), app.as({ name: 'Alan' })]
    events.length = 0
    expect(await ada.call('POST /agent/helper', { titles: ['Tea', 'Ice'] })).toEqual(['Tea', 'Ice'])
    expect(await alan.call('POST /agent/helper', { titles: [] })).toEqual([])
    expect(events).toEqual(['POST /api/v2/tasks: Tea', 'POST /api/v2/tasks: Ice'])
    await app.close()
  })

  it('reads, updates and deletes only rows of the current user', async () => {
    const app = await open()
    const [eve, bob] = [app.as({ name: 'Eve' }), app.as({ name: 'Bob' })]
    const { id } = (await eve.call('POST /api/v2/tasks', { title: 'Tea' })) as { id: number }
    const at = { params: { id } }
    events.length = 0
    await expect(bob.call('GET /api/one/:id', at)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(bob.call('POST /api/finish/:id', {}, at)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await eve.call('POST /api/finish/:id', {}, at)).toMatchObject({ id, done: true, title: 'Green tea' })
    expect(await eve.call('GET /api/open')).toMatchObject({ limit: 1, total: 0 })
    expect(await eve.call('POST /api/put/:id', {}, at)).toMatchObject({ id, done: false, title: 'Water' })
    expect(await eve.call('GET /api/open')).toMatchObject({ limit: 1, total: 1 })
    expect(await eve.call('POST /api/drop/:id', {}, at)).toMatchObject({ id, title: 'Water' })
    await expect(eve.call('GET /api/one/:id', at)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(events).toEqual([
      'PATCH /api/v2/tasks/:id: Tea is Green tea',
      'PUT /api/v2/tasks/:id: Green tea is Water',
      'DELETE /api/v2/tasks/:id: Water',
    ])
    await app.close()
  })

  it('rejects with the error that the route would return', async () => {
    const app = await open()
    const ada = app.as({ name: 'Ada' })
    await expect(app.call('POST /agent/helper', { titles: ['Tea'] })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(ada.call('POST /agent/helper', { titles: [''] })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ code: 'TOO_SHORT', pointer: '/title' }],
    })
    await expect(ada.call('POST /agent/helper', { titles: ['Coffee'] })).rejects.toMatchObject({ status: 500 })
    const closed = { headers: { 'x-closed': '1' } } // access rules see the headers of the request
    await expect(ada.call('POST /agent/helper', { titles: ['Tea'] }, closed)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await app.close()
  })

  it('passes the same context to access rules as the route does', async () => {
    const seen: unknown[] = []
    const notes = createResource('notes', {
      schema: z.object({ text: z.string() }),
      store: memoryStore(),
      access({ action, ctx: { route, params, query } }) {
        seen.push([action, route, params, query])
        return true
      },
    })
    const router = createRouter()
      .resource('v1', notes)
      .on('POST /api/all', async (ctx) => {
        await ctx.rows(notes).create({ text: 'a' })
        await ctx.rows(notes).list({ limit: 1 })
      })
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    await app.call('POST /api/v1/notes', { text: 'a' })
    await app.call('GET /api/v1/notes', { query: { limit: 1 } })
    const called = seen.splice(0)
    await app.call('POST /api/all')
    expect(seen).toEqual(called)
    await app.close()
  })

  it('ignores the Idempotency-Key and the preconditions of the request', async () => {
    const app = await open()
    const grace = app.as({ name: 'Grace' })
    const headers = { 'idempotency-key': 'one', 'if-match': '"another"', accept: 'application/x-ndjson' }
    expect(await grace.call('POST /agent/helper', { titles: ['A', 'B'] }, { headers })).toEqual(['B', 'A'])
    await app.close()
  })

  it('accepts a row, a tag or * as ifMatch and rejects stale versions', async () => {
    const pages = createResource('pages', {
      schema: z.object({ text: z.string(), meta: z.record(z.string(), z.number()).default({}) }),
      store: memoryStore(),
      access: 'public',
      ifMatch: 'required',
    })
    const router = createRouter()
      .resource('v1', pages)
      .on('POST /api/try', async (ctx) => {
        const rows = ctx.rows(pages)
        const made = await rows.create({ text: 'Tea', meta: { b: 1, a: 2 } })
        const first = await rows.update(made.id, { text: 'Ice' }, { ifMatch: made })
        const [listed] = (await rows.list()).data
        const old = { ifMatch: made }
        const faults = [
          await fault(() => rows.update(made.id, { text: 'Milk' }, old)),
          await fault(() => rows.replace(made.id, { text: 'Milk' }, old)),
          await fault(() => rows.delete(made.id, old)),
          await fault(() => rows.delete(made.id)),
          await fault(() => rows.update(made.id, { text: 'Milk' }, { ifMatch: '"0-0-0"' })),
        ]
        const second = await rows.replace(made.id, { text: 'Water' }, { ifMatch: listed ?? made })
        await rows.update(made.id, { text: 'Juice' }, { ifMatch: '*' })
        const last = await rows.get(made.id)
        await rows.delete(made.id, { ifMatch: last })
        return { texts: [first.text, second.text, last.text], faults, left: (await rows.list()).data.length }
      })
      .on('PATCH /api/pages/:id', {
        params: z.object({ id: z.coerce.number() }),
        handler: (ctx) => ctx.rows(pages).update(ctx.params.id, { text: 'Rum' }, { ifMatch: ctx.header('if-match') }),
      })
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    const hint = 'pass the row that you read, as in { ifMatch: row }'
    const changed = 'ApiError: version conflict: the row has changed; read it again'
    expect(await app.call('POST /api/try', {})).toEqual({
      texts: ['Ice', 'Water', 'Juice'],
      faults: [changed, changed, changed, `TypeError: pages requires ifMatch: ${hint}`, changed],
      left: 0,
    })
    const made = await app.send('POST /api/v1/pages', { text: 'Tea' })
    const { id } = (await made.json()) as { id: number }
    const at = { params: { id } }
    await expect(app.call('PATCH /api/pages/:id', {}, at)).rejects.toMatchObject({ code: 'PRECONDITION_REQUIRED' })
    const headers = { 'if-match': made.headers.get('etag') ?? '' }
    expect(await app.call('PATCH /api/pages/:id', {}, { ...at, headers })).toMatchObject({ text: 'Rum' })
    await expect(app.call('PATCH /api/pages/:id', {}, { ...at, headers })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    })
    await app.close()
  })

  it('identifies rows by key and expands values', async () => {
    const articles = createResource('articles', {
      schema: z.object({ slug: z.string(), text: z.string().default('') }),
      store: memoryStore(),
      access: 'public',
      key: 'slug',
      computed: { length: { output: z.number(), load: (rows) => rows.map(({ text }) => text.length) } },
    })
    const likes = createResource('likes', {
      schema: z.object({ articleId: z.int(), userId: z.string() }),
      store: memoryStore(),
      access: ({ user }) => (user ? { userId: user.id } : false),
      assign: ({ user }) => ({ userId: user.id }),
      key: ['articleId', 'userId'],
    })
    const related = relate(articles, { likes: countOf(likes, 'articleId', { of: 'everyone' }) })
    const router = createRouter()
      .resource('v1', related)
      .resource('v1', likes)
      .on('POST /api/try', async (ctx) => {
        const { id: userId } = await requireUser(ctx)
        const rows = ctx.rows(related)
        const made = await rows.replace({ slug: 'tea' }, { text: 'Tea' })
        const key = { articleId: made.id, userId }
        for (let times = 0; times < 2; times++) await ctx.rows(likes).replace(key, {})
        const stale = await fault(() =>
          rows.update({ slug: 'tea' }, { text: 'x' }, { ifMatch: { ...made, text: 'y' } }),
        )
        await rows.update({ slug: 'tea' }, { text: 'Green tea', slug: undefined })
        const { likes: likeCount, length } = await rows.get({ slug: 'tea' }, { expand: ['likes', 'length'] })
        const [listed] = (await rows.list({ limit: 1, expand: ['length'] })).data
        await ctx.rows(likes).delete(key)
        const liked = (await rows.get(made.id, { expand: ['likes'] })).likes
        const faults = [
          stale,
          await fault(() => ctx.rows(likes).replace({ ...key, userId: 'another' }, {})),
          await fault(() => ctx.rows(likes).delete(key)),
          await fault(() => rows.get({ slug: 'ice' })),
        ]
        return { likeCount, length, listed: listed?.length, liked, faults, deleted: await rows.delete({ slug: 'tea' }) }
      })
      .on('GET /api/keyless', (ctx) => fault(() => ctx.rows(tasks).get({ title: 'Tea' } as never)))
      .resource('v1', tasks)
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    expect(await app.as({ name: 'Ada' }).call('POST /api/try')).toEqual({
      likeCount: 1,
      length: 9,
      listed: 9,
      liked: 0,
      faults: [
        'ApiError: version conflict: the row has changed; read it again',
        'ApiError: userId cannot be set',
        'ApiError: not found',
        'ApiError: not found',
      ],
      deleted: expect.objectContaining({ slug: 'tea', text: 'Green tea' }) as unknown,
    })
    expect(await app.call('GET /api/keyless')).toBe(
      'TypeError: tasks has no key: pass the id of the row, or add key to the resource',
    )
    await app.close()
  })

  it('throws if the resource is not mounted or the store does not support the method', async () => {
    const lonely = createResource('lonely', {
      schema: z.object({ name: z.string() }),
      store: { list: async () => ({ rows: [] }) },
      access: 'public',
    })
    const other = createResource('other', { schema: z.object({}), store: memoryStore(), access: 'public' })
    const router = createRouter()
      .resource('v1', lonely)
      .on('GET /api/other', (ctx) => fault(() => ctx.rows(other).list()))
      .on('GET /api/get', (ctx) => fault(() => ctx.rows(lonely).get(1)))
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    expect(await app.call('GET /api/other')).toBe(
      `TypeError: ctx.rows(other): other is not mounted; add .resource('v1', other)`,
    )
    expect(await app.call('GET /api/get')).toBe('TypeError: the store for lonely does not support get')
    await app.close()
  })
})

async function fault(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    return String(error)
  }
  return 'none'
}
