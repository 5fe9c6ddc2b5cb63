import { join } from 'node:path'
import type { Page } from '@sdk/protocol'
import { createDatabase, hasPostgres, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RelatedStore } from './large-relations-server.ts'
import { addRow, choose } from './mode.ts'

const PARENTS = choose(100, 5)
const CHILDREN = 20
/** Bytes of a related row: those of one article alone exceed the memory of the process, if several lists read them. */
const BYTES = choose(1_000_000, 400_000)
const PAGE_BYTES = 4_194_304
const LISTS = choose(12, 4)
const MEMORY = choose(512, 200)

type Articles = Page<{ id: number; posts: { title: string; body: string }[]; postCount: number }>

interface LargeStore {
  readonly name: string
  readonly store: RelatedStore
  readonly bytes: number
  url(): Promise<string>
}

const STORES: LargeStore[] = [
  // The rows of this store are in the memory of the process, so they must fit into it.
  { name: 'memoryStore()', store: 'memory', bytes: choose(100_000, 50_000), url: async () => '' },
  // It runs the statements of PostgreSQL.
  ...choose<LargeStore[]>(
    [{ name: 'table() on PGlite', store: 'table', bytes: BYTES, url: async () => 'pglite://memory' }],
    [],
  ),
  ...(hasPostgres()
    ? ([
        { name: 'table() on PostgreSQL', store: 'table', bytes: BYTES, url: createDatabase },
        { name: 'drizzleTable()', store: 'drizzle', bytes: BYTES, url: createDatabase },
      ] as const)
    : []),
]

describe.each(STORES)(`${PARENTS} rows with ${CHILDREN} related rows of $bytes bytes in $name`, (kind) => {
  const { name, store, bytes } = kind
  let server: NodeProcess
  beforeAll(async () => {
    server = await spawnNode({
      file: join(import.meta.dirname, 'large-relations-server.ts'),
      env: {
        STORE: store,
        URL: await kind.url(),
        PARENTS: `${PARENTS}`,
        CHILDREN: `${CHILDREN}`,
        BYTES: `${bytes}`,
        NODE_OPTIONS: `--max-old-space-size=${MEMORY}`,
      },
    })
    const filled = await fetch(`${server.url}/api/fill`, { method: 'POST' })
    expect(filled.status, await filled.text()).toBe(200)
  }, 300_000)
  afterAll(() => server?.kill())

  const read = async (path: string): Promise<{ body: unknown; size: number }> => {
    const response = await fetch(`${server.url}${path}`)
    const text = await response.text()
    expect(response.status, text.slice(0, 500)).toBe(200)
    return { body: JSON.parse(text) as unknown, size: text.length }
  }
  const readPage = async (cursor: string | null): Promise<Articles> => {
    const query = `limit=100&expand=posts,postCount${cursor === null ? '' : `&cursor=${cursor}`}`
    const { body, size } = await read(`/api/v1/articles?${query}`)
    expect(size).toBeLessThan(PAGE_BYTES + bytes)
    const page = body as Articles
    for (const { posts, postCount } of page.data) {
      expect(postCount).toBe(CHILDREN)
      expect(posts.length).toBe(Math.min(CHILDREN, Math.floor(PAGE_BYTES / bytes)))
      expect(posts.map(({ title }) => title)).toEqual(posts.map((_post, at) => `${at}`))
      for (const { body: text } of posts) expect(text.length).toBe(bytes)
    }
    return page
  }
  const readRss = async (): Promise<number> => ((await read('/api/memory')).body as { rss: number }).rss

  it(`are listed ${LISTS} times concurrently, in pages of limited size`, { timeout: 300_000 }, async () => {
    const before = await readRss()
    const pages = await Promise.all(Array.from({ length: LISTS }, () => readPage(null)))
    for (const { data, pagination } of pages) {
      expect(data.length).toBeGreaterThan(0)
      expect(pagination).toMatchObject({ limit: 100, hasMore: true })
    }
    const grown = Math.round(((await readRss()) - before) / 1e6)
    addRow({ name: `related rows of ${bytes} bytes, ${name}`, lists: LISTS, 'RSS grew by MB': grown })
  })

  it('are all returned by following cursors, and one by one', { timeout: 300_000 }, async () => {
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const page: Articles = await readPage(cursor)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.pagination.nextCursor
    } while (cursor !== null)
    expect(seen).toHaveLength(PARENTS)
    expect(new Set(seen).size).toBe(PARENTS)
    const { size } = await read(`/api/v1/articles/${seen[0]}?expand=posts`)
    expect(size).toBeLessThan(PAGE_BYTES + bytes)
  })
})
