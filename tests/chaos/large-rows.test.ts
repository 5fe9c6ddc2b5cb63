import { join } from 'node:path'
import type { Page } from '@sdk/protocol'
import { createDatabase, hasPostgres, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProcessStore } from './large-rows-server.ts'
import { addRow, choose } from './mode.ts'

/** Bytes of a row: a hundred rows in each list would exceed the memory of the process. */
const BYTES = choose(1_000_000, 200_000)
const PAGE_BYTES = 4_194_304
const LISTS = choose(20, 8)

type NotePage = Page<{ id: number; text: string }>

const STORES: [string, () => ProcessStore | `pglite://${string}` | Promise<string>][] = [
  ['memoryStore()', () => 'memory'],
  ['a custom store without byte limits', () => 'own'],
  // It runs the statements of PostgreSQL.
  ...choose<[string, () => 'pglite://memory'][]>([['table() on PGlite', () => 'pglite://memory']], []),
  ...(hasPostgres() ? [['table() on PostgreSQL', createDatabase] as [string, () => Promise<string>]] : []),
]

describe.each(STORES)('100 large rows in %s', (name, urlOf) => {
  let server: NodeProcess
  beforeAll(async () => {
    const file = join(import.meta.dirname, 'large-rows-server.ts')
    const NODE_OPTIONS = `--max-old-space-size=${choose(512, 160)}`
    server = await spawnNode({ file, env: { STORE: await urlOf(), BYTES: String(BYTES), NODE_OPTIONS } })
    expect((await fetch(`${server.url}/api/fill`, { method: 'POST' })).status).toBe(200)
  })
  afterAll(() => server?.kill())

  const read = async (path: string): Promise<{ body: unknown; bytes: number }> => {
    const response = await fetch(`${server.url}${path}`)
    const text = await response.text()
    expect(response.status, text.slice(0, 500)).toBe(200)
    return { body: JSON.parse(text) as unknown, bytes: text.length }
  }
  const readPage = async (cursor: string | null): Promise<{ body: NotePage; bytes: number }> => {
    const { body, bytes } = await read(`/api/v1/notes?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`)
    return { body: body as NotePage, bytes }
  }

  const readRss = async (): Promise<number> => ((await read('/api/memory')).body as { rss: number }).rss

  it(`are listed ${LISTS} times concurrently, in pages of limited size`, async () => {
    const before = await readRss()
    const pages = await Promise.all(Array.from({ length: LISTS }, () => readPage(null)))
    for (const { body, bytes } of pages) {
      expect(body.data.length).toBeGreaterThan(0)
      expect(body.pagination).toMatchObject({ limit: 100, hasMore: true })
      expect(bytes).toBeLessThan(PAGE_BYTES + BYTES)
    }
    const grown = (await readRss()) - before
    addRow({ name: `100 rows of ${BYTES} bytes, ${name}`, lists: LISTS, 'RSS grew by MB': Math.round(grown / 1e6) })
    // A page is in memory several times: as bytes, as text and as rows.
    expect(grown).toBeLessThan(LISTS * PAGE_BYTES * 6)
  })

  it('are all returned by following cursors, forward and back', async () => {
    const forward: number[] = []
    let page = (await readPage(null)).body
    for (; ; page = (await readPage(page.pagination.nextCursor)).body) {
      forward.push(...page.data.map(({ id }) => id))
      if (page.pagination.nextCursor === null) break
    }
    expect(new Set(forward).size).toBe(100)
    expect(forward).toHaveLength(100)
    const back = page.data.map(({ id }) => id)
    while (page.pagination.prevCursor !== null) {
      page = (await readPage(page.pagination.prevCursor)).body
      back.unshift(...page.data.map(({ id }) => id))
    }
    expect(back).toEqual(forward)
  })

  it('are returned to handlers in pages of the same size', async () => {
    const { count, hasMore } = (await read('/api/rows')).body as { count: number; hasMore: boolean }
    expect(hasMore).toBe(true)
    expect(count * BYTES).toBeLessThanOrEqual(PAGE_BYTES)
  })
})
