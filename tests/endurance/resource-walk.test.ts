import { join } from 'node:path'
import { openDatabase } from '@sdk/database'
import { createDatabase, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import type { Churned } from './resource-churn.ts'
import { errorsOf, startServer, type Walk, walk } from './resource-client.ts'
import type { Item } from './resource-server.ts'

const ROWS = choose(100_000, 2_000)
/** Rows that stay have even ids; the odd ones come and go. */
const LARGEST = 2 * ROWS
/** So few values that thousands of rows are equal. */
const PRIORITIES = 7

const SORTS = ['id', '-priority']

type Place = readonly [priority: number, id: number]

let server: NodeProcess
let churn: NodeProcess
let churned: Churned
const walks = new Map<string, Walk<Place>>()

beforeAll(async () => {
  const url = await createDatabase()
  server = await startServer(url)
  await fill(url)
  churn = await spawnNode({
    file: join(import.meta.dirname, 'resource-churn.ts'),
    args: [url, String(LARGEST)],
    ready: /churning/,
  })
  await Promise.all(
    SORTS.map(async (sort) => {
      walks.set(
        sort,
        await walk(server.url, `/api/v1/items?limit=100&sort=${sort}`, ({ priority, id }: Item) => [priority, id]),
      )
    }),
  )
  await churn.stop('SIGTERM')
  churned = JSON.parse(/\{.*\}/.exec(churn.output())?.[0] ?? 'null') as Churned
})
afterAll(async () => {
  await churn?.kill()
  await server?.kill()
})

describe(`a walk through ${ROWS} rows, while another process inserts and deletes`, () => {
  for (const sort of SORTS) {
    for (const direction of ['forward', 'backward'] as const) {
      it(`gives each row that was there all the time once: by ${sort}, ${direction}`, () => {
        const places = walks.get(sort)?.[direction] ?? []
        const staying = places.filter(([, id]) => id % 2 === 0)
        expect(staying).toHaveLength(ROWS)
        expect(new Set(staying.map(([, id]) => id)).size).toBe(ROWS)
      })

      it(`is in order, so that no row at all comes twice: by ${sort}, ${direction}`, () => {
        const places = walks.get(sort)?.[direction] ?? []
        const disorder = places.filter((place, at) => at > 0 && !isBehind(place, places[at - 1], sort))
        expect(disorder).toEqual([])
      })
    }
  }

  it('meets rows that come and go, so the other process was at work', () => {
    for (const { forward } of walks.values()) expect(forward.length).toBeGreaterThan(ROWS)
    expect(churned.inserted).toBeGreaterThan(ROWS / 50)
    expect(churned.deleted).toBeGreaterThan(ROWS / 100)
  })

  it('logs no error', () => {
    expect(errorsOf(server)).toEqual([])
  })
})

async function fill(url: string): Promise<void> {
  const database = openDatabase(url)
  await database.query(
    `insert into items (id, title, created_at, updated_at, priority, is_done) overriding system value
     select 2 * n, 'row ' || n, now(), now(), n % ${PRIORITIES}, n % 2 = 0 from generate_series(1, ${ROWS}) n`,
  )
  await database.query('analyze items')
  await database.close()
}

function isBehind([priority, id]: Place, before: Place | undefined, sort: string): boolean {
  if (before === undefined) return false
  const order = sort.endsWith('priority') ? priority - before[0] || id - before[1] : id - before[1]
  return sort.startsWith('-') ? order < 0 : order > 0
}
