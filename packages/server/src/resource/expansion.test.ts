import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import { createResource } from '../define/resource.ts'
import type { ResourceAccess } from '../define/resource-definition.ts'
import { relate } from '../define/relate.ts'
import { belongsTo, countOf, existsIn, hasMany } from '../define/relation.ts'
import { createApp } from '../app/app.ts'
import { createRouter } from '../define/router.ts'
import { createLog } from '../log/log.ts'
import { testApp } from '../testing.ts'
import type { ListQuery, Store } from '../define/store.ts'

const articles = () =>
  createResource('articles', {
    schema: z.object({ title: z.string().max(20), noteId: z.int().nullable().optional() }),
    store: memoryStore(),
    access: 'public',
  })

const notes = (access: ResourceAccess, store = memoryStore()) =>
  createResource('notes', {
    schema: z.object({ text: z.string().max(20), articleId: z.int().optional() }),
    store,
    access,
    filter: ['articleId'],
    sort: ['text'],
  })

const title = { body: { title: 'Tea' } }

describe('expand', () => {
  it('asks the rule of a related resource once for rows and once for lists', async () => {
    const asked: string[] = []
    const related = notes(({ action }) => {
      asked.push(action)
      return true
    })
    const send = appOf(
      relate(articles(), {
        note: belongsTo(related, 'noteId'),
        notes: hasMany(related, 'articleId'),
        noteCount: countOf(related, 'articleId'),
        noted: existsIn(related, 'articleId', () => ({ text: 'x' })),
      }),
    )
    for (let count = 0; count < 5; count += 1) await send('POST /articles', title)
    await send('GET /articles?expand=note,notes,noteCount,noted', { as: 'ada' })
    expect(asked).toEqual(['get', 'list'])
  })

  it('treats a rule that throws 401 or 403 as a denial, and other errors as errors', async () => {
    const open = (error: Error) => {
      const related = notes(() => {
        throw error
      })
      const relations = { notes: hasMany(related, 'articleId'), noteCount: countOf(related, 'articleId') }
      return appOf(relate(articles(), relations))
    }
    for (const code of ['UNAUTHORIZED', 'FORBIDDEN'] as const) {
      const send = open(new ApiError(code, 'no'))
      await send('POST /articles', title)
      expect((await send('GET /articles/1?expand=notes,noteCount')).body).toMatchObject({ notes: [], noteCount: null })
    }
    const send = open(new Error('broken'))
    await send('POST /articles', title)
    expect((await send('GET /articles/1?expand=notes')).status).toBe(500)
  })

  it('fails if existsIn returns no field values, which would match every row', async () => {
    const related = notes('public')
    const send = appOf(relate(articles(), { noted: existsIn(related, 'articleId', () => undefined as never) }))
    await send('POST /articles', title)
    expect((await send('GET /articles/1?expand=noted', { as: 'ada' })).status).toBe(500)
    expect((await send('GET /articles/1?expand=noted')).body).toMatchObject({ noted: false })
  })

  it('counts to 1,000, or exactly, however many rows there are', async () => {
    const related = notes(({ user }) => user !== null && { text: 'seen' })
    const send = appOf(
      relate(articles(), {
        some: countOf(related, 'articleId'),
        all: countOf(related, 'articleId', { exact: true, of: 'everyone' }),
        notes: hasMany(related, 'articleId', { limit: 2, sort: '-text' }),
        noted: existsIn(related, 'articleId', () => ({ text: ['seen', 'hidden'] })),
        hidden: existsIn(related, 'articleId', () => ({ text: 'hidden' })),
      }),
    )
    for (let count = 0; count < 3; count += 1) await send('POST /articles', title)
    for (let count = 0; count < 2_100; count += 1)
      await related.store.create?.({ text: count < 1_200 ? 'seen' : 'hidden', articleId: count === 1_199 ? 3 : 2 })
    const { body } = await send('GET /articles?expand=some,all,notes,noted,hidden', { as: 'ada' })
    const hidden = false
    expect(body['data']).toMatchObject([
      { id: 1, some: 0, all: 0, notes: [], noted: false, hidden },
      {
        id: 2,
        some: 1_000,
        all: 2_099,
        notes: [
          { text: 'seen', id: 1_199 },
          { text: 'seen', id: 1_198 },
        ],
        noted: true,
        hidden,
      },
      { id: 3, some: 1, all: 1, notes: [{ id: 1_200 }], noted: true, hidden },
    ])
    expect((await send('GET /articles/2?expand=some,all,notes,noted')).body).toMatchObject({
      some: null,
      all: 2_099,
      notes: [],
      noted: false,
    })
  })

  it('reads each relation of a page with one list', async () => {
    const lists: ListQuery[] = []
    const observed = (shape: Parameters<ReturnType<typeof memoryStore>>[0]): Store => {
      const store = memoryStore()(shape)
      return { ...store, list: (query) => (lists.push(query), store.list?.(query) ?? Promise.reject(new Error())) }
    }
    const related = notes('public', observed)
    const relations = { note: belongsTo(related, 'noteId'), notes: hasMany(related, 'articleId') }
    const send = appOf(relate(articles(), { ...relations, noteCount: countOf(related, 'articleId') }))
    for (let id = 1; id <= 20; id += 1) {
      await send('POST /articles', { body: { title: 'Tea', noteId: id } })
      await related.store.create?.({ text: 'x', articleId: id })
    }
    await send('GET /articles?expand=note,notes,noteCount')
    expect(lists.map(({ conditions }) => conditions)).toEqual(
      ['id', 'articleId', 'articleId'].map((field) => [
        { field, operator: 'in', value: Array.from({ length: 20 }, (_, at) => at + 1) },
      ]),
    )
  })

  it('computes values once for a page, from its items', async () => {
    const calls: number[] = []
    const send = appOf(
      createResource('articles', {
        schema: z.object({ title: z.string().max(20) }),
        store: memoryStore(),
        access: 'public',
        computed: {
          length: {
            output: z.number(),
            load(rows, ctx) {
              calls.push(rows.length)
              return rows.map(({ title: text }) => (ctx.auth === null ? text.length : 0))
            },
          },
          few: { output: z.number(), load: () => [] },
          wrong: { output: z.number(), load: (rows) => rows.map(() => 'text' as unknown as number) },
        },
      }),
    )
    for (const text of ['Tea', 'Water']) await send('POST /articles', { body: { title: text } })
    expect((await send('GET /articles')).body['data']).not.toMatchObject([{ length: 3 }, {}])
    expect((await send('GET /articles?expand=length')).body['data']).toMatchObject([{ length: 3 }, { length: 5 }])
    expect((await send('GET /articles/2?expand=length')).body).toMatchObject({ title: 'Water', length: 5 })
    expect((await send('GET /articles?title=x&expand=length')).status).toBe(400)
    expect(calls).toEqual([2, 1])
    expect((await send('GET /articles?expand=few')).status).toBe(500)
    expect((await send('GET /articles?expand=wrong')).status).toBe(500)
  })

  it('does not answer 304, since related rows have versions of their own', async () => {
    const related = notes('public')
    const send = appOf(relate(articles(), { notes: hasMany(related, 'articleId') }))
    const { headers } = await send('POST /articles', title)
    const tag = headers.get('etag') ?? ''
    const list = await send('GET /articles')
    for (const [line, etag] of [
      ['GET /articles/1', tag],
      ['GET /articles', list.headers.get('etag') ?? ''],
    ] as const) {
      expect((await send(line, { headers: { 'if-none-match': etag } })).status).toBe(304)
      const expanded = await send(`${line}?expand=notes`, { headers: { 'if-none-match': etag } })
      expect([expanded.status, expanded.headers.get('etag')]).toEqual([200, null])
    }
    expect((await send('GET /articles/1?expand=notes', { headers: { 'if-match': '"x"' } })).status).toBe(412)
  })
})

describe('relate', () => {
  const related = notes('public')
  const one = articles()
  const refuse = relate as (resource: unknown, relations: unknown) => unknown

  it.each([
    [{ 'not a name': hasMany(related, 'articleId') }, 'must be in camelCase'],
    [{ title: hasMany(related, 'articleId') }, 'relate(articles, { title }): title is already a field'],
    [{ id: hasMany(related, 'articleId') }, 'id is set by the resource itself'],
    [{ notes: hasMany(related, 'nope' as never) }, '"nope" must be a field in the schema of notes'],
    [
      { notes: hasMany(related, 'text' as never) },
      'text of notes contains an id, so it must be of type integer, got string',
    ],
    [{ note: belongsTo(related, 'title') }, 'title of articles contains an id, so it must be of type integer'],
    [{ notes: hasMany(related, 'articleId', { limit: 101 }) }, 'limit must be an integer from 1 to 100, got 101'],
    [
      { notes: hasMany(related, 'articleId', { sort: 'nope' as never }) },
      'sort must contain only sortable fields of notes (id, text), got nope',
    ],
    [{ noted: existsIn(related, 'articleId', undefined as never) }, 'existsIn needs a function'],
    [{ notes: hasMany({} as never, 'articleId') }, 'must be created with belongsTo, hasMany, countOf or existsIn'],
    [{ notes: {} }, 'must be created with belongsTo, hasMany, countOf or existsIn'],
  ])('rejects a relation (%#)', (relations, message) => {
    expect(() => refuse(one, relations)).toThrow(message)
  })

  it('rejects a name that another relation has, and values that are not resources', () => {
    const relations = { notes: hasMany(related, 'articleId') }
    expect(() => refuse(relate(one, relations), relations)).toThrow('notes is already a field, a relation')
    expect(() => refuse({}, relations)).toThrow('expects a resource')
  })

  it('lets handlers use the resource, with and without its relations', async () => {
    const relations = { notes: hasMany(related, 'articleId'), noteCount: countOf(related, 'articleId') }
    const withNotes = relate(one, relations)
    const router = createRouter()
      .resource('v1', withNotes)
      .on('POST /api/tea', (ctx) => ctx.rows(one).create({ title: 'Tea' }))
      .on('POST /api/expand', async (ctx) => {
        await related.store.create?.({ text: 'hot', articleId: 1 })
        const { data } = await ctx.rows(withNotes).list({ expand: ['notes', 'noteCount'] })
        const row = await ctx.rows(withNotes).get(1, { expand: ['notes'] })
        const changed = await ctx.rows(one).update(1, { title: 'Ice' }, { ifMatch: row })
        const again = await ctx.rows(one).update(1, { title: 'Tea' }, { ifMatch: row }).catch(String)
        return {
          counts: data.map(({ noteCount }) => noteCount),
          notes: row.notes.map(({ text }) => text),
          changed,
          again,
        }
      })
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    expect(await app.call('POST /api/tea')).toMatchObject({ title: 'Tea' })
    expect(await app.call('POST /api/expand')).toMatchObject({
      counts: [1],
      notes: ['hot'],
      changed: { title: 'Ice' },
      again: expect.stringContaining('version conflict') as string,
    })
    await app.close()
  })
})

describe('computed', () => {
  const create = createResource as unknown as (name: string, definition: unknown) => unknown
  const rest = { schema: z.object({ title: z.string() }), store: memoryStore(), access: 'public' }

  it.each([
    [{ title: { output: z.number(), load: () => [] } }, 'title is already a field'],
    [{ size: { output: 'number', load: () => [] } }, 'computed.size must be { output: a schema, load:'],
    [{ size: { output: z.number() } }, 'computed.size must be { output: a schema, load:'],
  ])('rejects a computed value (%#)', (computed, message) => {
    expect(() => create('articles', { ...rest, computed })).toThrow(message)
  })
})
