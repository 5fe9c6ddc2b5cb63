import { join } from 'node:path'
import { openDatabase } from '@sdk/database'
import { createDatabase, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import type { Churned } from './resource-churn.ts'
import { errorsOf, startServer, type Walk, walk } from './resource-client.ts'
import type { Item } from './resource-server.ts'

const ROWS = choose(100_000, 2_000)
/** Permanent rows have even ids; rows with odd ids are inserted and deleted. */
const LARGEST = 2 * ROWS
/** A small number of values, so that thousands of rows are equal. */
const PRIORITIES = 7

const SORTS = ['id', '-priority']

type Position = readonly [priority: number, id: number]

let server: NodeProcess
let churn: NodeProcess
let churned: Churned
const walks = new Map<string, Walk<Position>>()

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

describe(`paging through ${ROWS} rows while another process inserts and deletes`, () => {
  for (const sort of SORTS) {
    for (const direction of ['forward', 'backward'] as const) {
      it(`returns each permanent row once: by ${sort}, ${direction}`, () => {
        const positions = walks.get(sort)?.[direction] ?? []
        const staying = positions.filter(([, id]) => id % 2 === 0)
        expect(staying).toHaveLength(ROWS)
        expect(new Set(staying.map(([, id]) => id)).size).toBe(ROWS)
      })

      it(`returns rows in order and without duplicates: by ${sort}, ${direction}`, () => {
        const positions = walks.get(sort)?.[direction] ?? []
        const disorder = positions.filter((position, at) => at > 0 && !isBehind(position, positions[at - 1], sort))
        expect(disorder).toEqual([])
      })
    }
  }

  it('also returns rows that the other process inserted', () => {
    for (const { forward } of walks.values()) expect(forward.length).toBeGreaterThan(ROWS)
    expect(churned.inserted).toBeGreaterThan(ROWS / 50)
    expect(churned.deleted).toBeGreaterThan(ROWS / 100)
  })

  it('logs no errors', () => {
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

function isBehind([priority, id]: Position, before: Position | undefined, sort: string): boolean {
  if (before === undefined) return false
  const order = sort.endsWith('priority') ? priority - before[0] || id - before[1] : id - before[1]
  return sort.startsWith('-') ? order < 0 : order > 0
}
