import { encodeCursor } from '@sdk/protocol'
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
  it('is the same in whatever order its filters are said', async () => {
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

  it('goes no further than ids go', async () => {
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

  it('has a tag of its rows, which If-Match never matches', async () => {
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
    const ask = (headers: Record<string, string>) => send('GET /things', { headers })
    const etag = (await ask({})).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[a-z0-9]+"$/)
    expect((await ask({ 'if-none-match': etag })).status).toBe(304)
    expect((await ask({ 'if-match': etag })).status).toBe(412)
    expect((await ask({ 'if-match': '*' })).status).toBe(200)
    at = '2026-01-31T10:00:00.001Z'
    expect((await ask({ 'if-none-match': etag })).status).toBe(200)
    await send('POST /things', { body: { title: 'a', size: 1 } })
    expect((await ask({})).headers.get('etag')).not.toBe(etag)
  })
})
