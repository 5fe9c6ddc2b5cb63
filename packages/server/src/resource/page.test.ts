import { encodeCursor, type Page } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf, type Answer } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { ResourceShape, Store } from '../define/store.ts'

const rules = {
  schema: z.object({ title: z.string().max(20), size: z.int() }),
  access: 'public',
  filter: ['title', 'size'],
  sort: ['title'],
} as const

function nextOf({ body }: Answer): string {
  return String((body as { pagination: { nextCursor: string | null } }).pagination.nextCursor)
}

describe('a list', () => {
  it('accepts its cursor if the filters are sent in a different order', async () => {
    const send = appOf(createResource('things', { ...rules, store: memoryStore() }))
    for (const size of [1, 2, 3]) await send('POST /things', { body: { title: 'a', size } })
    const cursor = nextOf(await send('GET /things?limit=1&title=a&size[in]=1,2,3&size[gt]=0'))
    const again = await send(`GET /things?size[gt]=0&size[in]=3,1,2&title=a&limit=1&cursor=${cursor}`)
    expect(again.body).toMatchObject({ data: [{ id: 2 }] })
    const links = again.headers.get('link') ?? ''
    expect(links).toContain('</api/v1/things?limit=1&size%5Bgt%5D=0&size%5Bin%5D=3%2C1%2C2&title=a&cursor=')
    expect(links).toContain('rel="prev"')
    for (const query of ['title=a&size[in]=1,2&size[gt]=0', 'title=b&size[in]=1,2,3&size[gt]=0', 'sort=title', ''])
      expect((await send(`GET /things?limit=1&${query}&cursor=${cursor}`)).faults).toEqual(['INVALID_CURSOR cursor'])
  })

  it('accepts cursors at the limits of the id range', async () => {
    const send = appOf(createResource('things', { ...rules, store: memoryStore() }))
    await send('POST /things', { body: { title: 'a', size: 1 } })
    await send('POST /things', { body: { title: 'a', size: 1 } })
    const list = (JSON.parse(atob(nextOf(await send('GET /things?limit=1')))) as string[])[0] ?? ''
    for (const [direction, id] of [
      ['next', Number.MAX_SAFE_INTEGER],
      ['prev', Number.MIN_SAFE_INTEGER],
    ] as const) {
      const { body } = await send(`GET /things?cursor=${encodeCursor({ list, direction, after: [id] })}`)
      const { nextCursor, prevCursor } = (body as { pagination: Record<string, string | null> })['pagination'] ?? {}
      expect(await send(`GET /things?cursor=${nextCursor ?? prevCursor}`)).toMatchObject({ status: 200 })
    }
  })

  it('has a weak ETag that changes with its rows and never satisfies If-Match', async () => {
    let at = '2026-01-31T10:00:00.000Z'
    const store = (shape: ResourceShape): Store => {
      const { list, create } = memoryStore()(shape) as Required<Store>
      return {
        create,
        async list(query) {
          const { rows } = await list(query)
          return { rows: rows.map((row) => ({ ...row, updatedAt: at })) }
        },
      }
    }
    const send = appOf(createResource('things', { ...rules, store }))
    await send('POST /things', { body: { title: 'a', size: 1 } })
    const get = (headers: Record<string, string>) => send('GET /things', { headers })
    const etag = (await get({})).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[a-z0-9]+"$/)
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    expect((await get({ 'if-match': etag })).status).toBe(412)
    expect((await get({ 'if-match': '*' })).status).toBe(200)
    at = '2026-01-31T10:00:00.001Z'
    expect((await get({ 'if-none-match': etag })).status).toBe(200)
    await send('POST /things', { body: { title: 'a', size: 1 } })
    expect((await get({})).headers.get('etag')).not.toBe(etag)
  })

  it.each([
    ['the memory store', memoryStore()],
    [
      'a store that ignores maxBytes',
      (shape: ResourceShape): Store => {
        const { list, create } = memoryStore()(shape) as Required<Store>
        return { create, list: async (query) => ({ rows: (await list({ ...query, maxBytes: Infinity })).rows }) }
      },
    ],
  ])('ends a page at the byte limit, with %s', async (_name, store) => {
    const schema = z.object({ text: z.string().max(9_000), parts: z.array(z.string().max(9_000)).max(2).default([]) })
    const send = appOf(createResource('things', { schema, access: 'public', store }), { limits: { page: 10_000 } })
    const sizes = [20_000, 100, 100, 9_000, 9_000]
    for (const size of sizes) {
      const half = 'x'.repeat(Math.min(size / 2, 9_000))
      const rest = 'x'.repeat(Math.max(0, size / 2 - 9_000))
      expect((await send('POST /things', { body: { text: half, parts: [half, rest] } })).status).toBe(201)
    }
    const walk = async (path: string, side: 'nextCursor' | 'prevCursor'): Promise<number[][]> => {
      const { body } = await send(path)
      const { data, pagination } = body as unknown as Page<{ id: number }>
      expect(pagination.limit).toBe(4)
      const cursor = pagination[side]
      const ids = data.map(({ id }) => id)
      return cursor === null ? [ids] : [ids, ...(await walk(`GET /things?limit=4&cursor=${cursor}`, side))]
    }
    expect(await walk('GET /things?limit=4', 'nextCursor')).toEqual([[1], [2, 3, 4], [5]])
    const list = (JSON.parse(atob(nextOf(await send('GET /things?limit=1')))) as string[])[0] ?? ''
    const cursor = encodeCursor({ list, direction: 'prev', after: [6] })
    expect(await walk(`GET /things?limit=4&cursor=${cursor}`, 'prevCursor')).toEqual([[5], [2, 3, 4], [1]])
  })
})
