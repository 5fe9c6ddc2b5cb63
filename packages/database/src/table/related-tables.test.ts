import { belongsTo, countOf, createApp, createResource, createRouter, existsIn, hasMany, relate } from '@sdk/server'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, table } from '../index.ts'

const fields = { title: z.string().max(20), parentId: z.int().nullable().optional() }

/** Two resources of a blog. `rule` is the condition for the comments that everyone may see. */
function defineBlog(database: Database, other = database) {
  const articles = createResource('articles', {
    schema: z.object({ ...fields, rank: z.int().nullable().optional() }),
    store: table('articles', { database }),
    access: 'public',
    assign: () => ({ teamId: 'articles' }),
    sort: ['rank'],
  })
  const comments = createResource('comments', {
    schema: z.object(fields),
    store: table('comments', { database: other }),
    access: ({ ctx }) =>
      ctx.header('x-rule') === null ? true : { teamId: JSON.parse(ctx.header('x-rule') ?? '') as string },
    filter: ['parentId'],
    sort: ['title'],
  })
  return {
    articles,
    comments,
    related: relate(articles, {
      comment: belongsTo(comments, 'parentId'),
      comments: hasMany(comments, 'parentId', { limit: 2, sort: '-title' }),
      count: countOf(comments, 'parentId'),
      exactCount: countOf(comments, 'parentId', { exact: true }),
      exists: existsIn(comments, 'parentId', () => ({ title: 'a' })),
    }),
  }
}

describe.skipIf(!hasPostgres())('relations of table()', () => {
  let [one, other]: [Database?, Database?] = []
  const statements: string[] = []
  const databases = (): [Database, Database] => [one as Database, other as Database]
  beforeAll(async () => {
    const opened = openDatabase(await createDatabase())
    other = openDatabase(await createDatabase())
    one = {
      ...opened,
      query: (sql, values) => {
        statements.push(typeof sql === 'string' ? sql : sql.text)
        return opened.query(sql, values)
      },
    }
  })
  afterAll(async () => {
    await Promise.all([one?.close(), other?.close()])
  })

  async function open(blog: ReturnType<typeof defineBlog>) {
    const app = createApp({ router: createRouter().resource('v1', blog.related), rateLimit: false, log: SILENT })
    return async (
      path: string,
      rule?: unknown,
    ): Promise<{ data: Record<string, unknown>[]; [name: string]: unknown }> => {
      const headers = rule === undefined ? {} : { 'x-rule': JSON.stringify(rule) }
      const response = await app.fetch(new Request(`http://localhost/api/v1${path}`, { headers }))
      expect(response.status).toBe(200)
      return (await response.json()) as never
    }
  }

  async function fill({ articles, comments }: ReturnType<typeof defineBlog>): Promise<number[]> {
    const ids: number[] = []
    for (const rank of [1, null, 2, null]) {
      const row = await articles.store.create?.({ title: 'x', parentId: ids.length + 1, rank, teamId: 'articles' })
      ids.push(row?.id ?? 0)
    }
    for (const [title, teamId] of [
      ['a', 'red'],
      ['b', 'blue'],
      ['c', 'articles'],
      ['d', 'red'],
    ] as const)
      await comments.store.create?.({ title, parentId: ids[0], teamId })
    return ids
  }

  it('reads a page with its relations in one statement, and a row too', async () => {
    const [database] = databases()
    const blog = defineBlog(database)
    expect(blog.articles.store.canRelate?.(blog.comments.store)).toBe(true)
    const [id] = await fill(blog)
    const get = await open(blog)
    await get('/articles?expand=comment,comments,count')
    statements.length = 0
    const page = await get('/articles?limit=2&sort=rank&expand=comment,comments,count,exactCount')
    expect(statements).toHaveLength(1)
    expect(page.data[0]).toMatchObject({
      id,
      comment: { title: 'a' },
      comments: [{ title: 'd' }, { title: 'c' }],
      count: 4,
      exactCount: 4,
    })
    statements.length = 0
    expect(await get(`/articles/${id}?expand=comment,comments,count`)).toMatchObject({ count: 4 })
    expect(statements).toHaveLength(1)
  })

  it('applies a rule to the related table, even if both tables have its column', async () => {
    const get = await open(defineBlog(databases()[0]))
    const expand = 'expand=comment,comments,count'
    expect((await get(`/articles?${expand}`, 'red')).data[0]).toMatchObject({
      comment: { title: 'a' },
      comments: [{ title: 'd' }, { title: 'a' }],
      count: 2,
    })
    // The team of every article, which a condition on the outer row would match.
    expect((await get(`/articles?${expand}`, 'articles')).data[0]).toMatchObject({
      comment: null,
      comments: [{ title: 'c' }],
      count: 1,
    })
    expect((await get(`/articles?${expand}`, ['blue', 'articles'])).data[0]).toMatchObject({ count: 2 })
    expect((await get(`/articles?${expand}`, [])).data[0]).toMatchObject({ comment: null, comments: [], count: 0 })
    expect((await get(`/articles?${expand}`, null)).data[0]).toMatchObject({ comment: null, comments: [], count: 0 })
  })

  it('reads lists of a rule in a form whose generic plan is fast', async () => {
    const get = await open(defineBlog(databases()[0]))
    statements.length = 0
    await get('/articles?expand=count', ['blue', 'red'])
    expect(statements.at(-1)).toMatch(/in \(select unnest\(\$\d+::text\[\]\)\)\) is true/)
  })

  it('continues after rows without a value, with relations outside of the ranges', async () => {
    const get = await open(defineBlog(databases()[0]))
    const expand = '&expand=count,comment'
    const first = await get(`/articles?sort=rank&limit=2${expand}`)
    const { nextCursor } = first['pagination'] as { nextCursor: string }
    statements.length = 0
    const second = await get(`/articles?sort=rank&limit=2${expand}&cursor=${nextCursor}`)
    expect(second.data).toMatchObject([
      { rank: null, count: 0, comment: { title: 'b' } },
      { rank: null, count: 0, comment: { title: 'd' } },
    ])
    expect(statements).toHaveLength(1)
    expect(statements[0]?.match(/count\(\*\)/g)).toHaveLength(1)
  })

  it('counts to 1,000, or exactly', async () => {
    const [database] = databases()
    await database.query(
      `insert into comments (title, parent_id, version) select 'x', 3, 1 from generate_series(1, 1200)`,
    )
    const get = await open(defineBlog(database))
    expect(await get('/articles/3?expand=count,exactCount')).toMatchObject({ count: 1_000, exactCount: 1_200 })
  })

  it('reads related rows of any size, and ends a page early if they are too large', async () => {
    const [database] = databases()
    const texts = createResource('texts', {
      schema: z.object({ text: z.string(), parentId: z.int().nullable().optional() }),
      store: table('texts', { database }),
      access: 'public',
      filter: ['parentId'],
    })
    const related = relate(texts, {
      parent: belongsTo(texts, 'parentId'),
      children: hasMany(texts, 'parentId', { limit: 3 }),
    })
    const app = createApp({ router: createRouter().resource('v1', related), rateLimit: false, log: SILENT })
    const read = async (query: string) => {
      const response = await app.fetch(new Request(`http://localhost/api/v1/texts?expand=parent,children&${query}`))
      const { data, pagination } = (await response.json()) as { data: TextRow[]; pagination: { hasMore: boolean } }
      const sizes = data.map(({ text, parent, children }) => [
        text,
        parent?.text,
        ...children.map((child) => child.text),
      ])
      return [sizes.map((row) => row.map((text) => text?.length)), pagination.hasMore]
    }
    // With a page of 20, rows of up to 130 kB are read together with their sizes.
    const [small, large] = ['x'.repeat(10), 'x'.repeat(500_000)]
    for (const [text, parentId] of [
      [small, null],
      [large, null],
      [small, 1],
      [large, 1],
      [small, 2],
      [small, 2],
    ] as const)
      await texts.store.create?.({ text, parentId })
    statements.length = 0
    expect(await read('limit=20')).toEqual([
      [
        [10, undefined, 10, 500_000],
        [500_000, undefined, 10, 10],
        [10, 10],
        [500_000, 10],
        [10, 500_000],
        [10, 500_000],
      ],
      false,
    ])
    expect(statements).toHaveLength(1)
    for (const parentId of [3, 3, 3, 4, 4, 4, 5, 5, 5]) await texts.store.create?.({ text: large, parentId })
    expect(await read('limit=4&sort=id')).toEqual([
      [
        [10, undefined, 10, 500_000],
        [500_000, undefined, 10, 10],
        [10, 10, 500_000, 500_000, 500_000],
      ],
      true,
    ])
  })

  it('reads the same values if the related table is in another database', async () => {
    const blog = defineBlog(databases()[0], databases()[1])
    expect(blog.articles.store.canRelate?.(blog.comments.store)).toBe(false)
    await blog.comments.store.create?.({ title: 'far', parentId: 1, teamId: 'red' })
    const get = await open(blog)
    expect((await get('/articles?limit=1&expand=comment,comments,count', 'red')).data).toMatchObject([
      { comment: { title: 'far' }, comments: [{ title: 'far' }], count: 1 },
    ])
  })
})

interface TextRow {
  readonly text: string
  readonly parent: TextRow | null
  readonly children: readonly TextRow[]
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
