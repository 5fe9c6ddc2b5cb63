import { openDatabase } from '@sdk/database'
import type { Page } from '@sdk/protocol'
import { createDatabase, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { errorsOf, must, send, startServer, startWithin } from './resource-client.ts'
import type { Item, Plan } from './resource-server.ts'

const PROCESSES = choose(6, 3)
const ROUNDS = choose(10, 1)
/** The numbers of databases whose columns are added by a new version, and on the first write. */
const UPGRADES = choose(3, 1)
const OWNED = choose(5, 1)
const ROWS = 500
const PATH = '/api/v1/items'

/** The definitions of the columns and indexes of a database. */
interface Layout {
  readonly columns: readonly string[]
  readonly indexes: readonly string[]
}

let processes: NodeProcess[]
/** The database on which all processes were started. */
let firstUrl: string
/** The layouts that a single process creates. */
const alone = new Map<Plan['version'], Layout>()

beforeAll(async () => {
  firstUrl = await createDatabase()
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(firstUrl)))
  for (const version of ['first', 'second', 'owned'] as const) {
    const url = await createDatabase()
    const [server] = await startAll(url, version, processes.slice(0, 1))
    await must(201, send(String(server), `POST ${PATH}`, { body: { title: 'alone' } }))
    alone.set(version, await layoutOf(url))
    await stopAll([String(server)])
  }
})
afterAll(() => Promise.all((processes ?? []).map((process) => process.kill())))

describe(`${PROCESSES} processes that start concurrently on one database`, () => {
  it('all respond, and create each table and index once', async () => {
    await expectAllServe(processes.map(({ url }) => url))
    expect(await layoutOf(firstUrl)).toEqual(alone.get('first'))
  })

  it(`all respond, and create each table and index once, in ${ROUNDS} new databases`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const url = await createDatabase()
      const servers = await startAll(url, 'first')
      await expectAllServe(servers)
      expect(await layoutOf(url)).toEqual(alone.get('first'))
      await stopAll(servers)
    }
  })

  it('add a column to a table with rows once, while the previous version is running', async () => {
    for (let round = 0; round < UPGRADES; round++) {
      const url = await createDatabase()
      const old = await startAll(url, 'first', processes.slice(0, 1))
      await fill(url)
      const servers = await startAll(url, 'second')
      await expectAllServe(servers, ROWS)
      await expectAllServe(old, ROWS + PROCESSES)
      const page = await must(200, send<Page<Item>>(String(servers[0]), `GET ${PATH}?limit=1`))
      expect(page.data[0]).toMatchObject({ id: 1, title: 'row 1', label: 'none', size: null })
      expect(await layoutOf(url)).toEqual(alone.get('second'))
      await stopAll([...servers, ...old])
    }
  })

  it('add the columns of assigned fields once, and store every owner', async () => {
    for (let round = 0; round < OWNED; round++) {
      const url = await createDatabase()
      const servers = await startAll(url, 'owned')
      await expectAllServe(servers)
      expect(await layoutOf(url)).toEqual(alone.get('owned'))
      const rows = await query<{ owner: string; rank: string }>(url, 'select owner, rank from items order by owner')
      const owners = processes.map((_, at) => ownerOf(at))
      expect(rows.map(({ owner, rank }) => [owner, Number(rank)])).toEqual(owners.map((owner) => [owner, owner.length]))
      await stopAll(servers)
    }
  })

  it('log no errors', () => {
    expect(processes.flatMap(errorsOf)).toEqual([])
  })
})

/** Starts a server in each process at the same time, and returns their URLs. */
function startAll(
  url: string,
  version: Plan['version'],
  within: readonly NodeProcess[] = processes,
): Promise<string[]> {
  return Promise.all(within.map((process, at) => startWithin(process, { url, version, owner: ownerOf(at) })))
}

/** Returns an owner whose length is unique. */
function ownerOf(at: number): string {
  return `owner ${'x'.repeat(at)}`
}

/** Stops servers; each process stops its own and ignores the others. */
async function stopAll(servers: readonly string[]): Promise<void> {
  await Promise.all(
    processes.flatMap((process) => servers.map((url) => send(process.url, 'POST /agent/stop', { body: { url } }))),
  )
}

/** Creates a row on each server at the same time, and expects that every server lists all rows. */
async function expectAllServe(servers: readonly string[], rows = 0): Promise<void> {
  const made = await Promise.all(
    servers.map((base, at) => must(201, send<Item>(base, `POST ${PATH}`, { body: { title: `by ${at}` } }))),
  )
  expect(new Set(made.map(({ id }) => id)).size).toBe(servers.length)
  const pages = await Promise.all(
    servers.map((base) => must(200, send<Page<Item>>(base, `GET ${PATH}?count=true&sort=-id`))),
  )
  expect(pages.map(({ pagination }) => pagination.total)).toEqual(servers.map(() => rows + servers.length))
}

async function fill(url: string): Promise<void> {
  await query(
    url,
    `insert into items (title, created_at, updated_at, priority) select 'row ' || n, now(), now(), n from generate_series(1, ${ROWS}) n`,
  )
}

async function layoutOf(url: string): Promise<Layout> {
  const columns = await query<{ it: string }>(
    url,
    `select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, is_identity) it
     from information_schema.columns where table_schema = 'public' order by 1`,
  )
  const indexes = await query<{ it: string }>(
    url,
    `select indexdef it from pg_indexes where schemaname = 'public' order by 1`,
  )
  return { columns: columns.map(({ it: text }) => text), indexes: indexes.map(({ it: text }) => text) }
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const database = openDatabase(url)
  try {
    return await database.query<T>(sql)
  } finally {
    await database.close()
  }
}
