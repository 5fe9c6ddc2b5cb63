import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase } from '@sdk/database'
import { createDatabase, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import type { Plan } from './auth-server.ts'
import { errorsOf, must, send } from './resource-client.ts'

const PROCESSES = choose(6, 2)
const ROUNDS = choose(6, 1)
const UPGRADES = choose(3, 1)
const ORIGIN = 'https://app.test'

interface Started {
  readonly url: string
  /** The error, if it did not start. */
  readonly failure: string | null
}

let processes: NodeProcess[]

beforeAll(async () => {
  const file = join(import.meta.dirname, 'auth-server.ts')
  const env = { NODE_ENV: 'production', AUTH_URL: ORIGIN, AUTH_SECRET: randomBytes(32).toString('hex') }
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => spawnNode({ file, env })))
})
afterAll(() => Promise.all((processes ?? []).map((process) => process.kill())))

describe(`${PROCESSES} processes that start auth concurrently on one database`, () => {
  it(`create each table and index once and share their users, in ${ROUNDS} databases`, async () => {
    const alone = await layoutAlone('first')
    for (let round = 0; round < ROUNDS; round++) {
      const url = await createDatabase()
      const servers = await startAll(url, 'first')
      await expectSharedUsers(servers)
      expect(await layoutOf(url)).toEqual(alone)
      await stopAll(servers)
    }
  })

  it('add fields and the table of a plugin once, while the previous release is running', async () => {
    const alone = await layoutAlone('first', 'second')
    for (let round = 0; round < UPGRADES; round++) {
      const url = await createDatabase()
      const old = await startAll(url, 'first', processes.slice(0, 1))
      const cookie = await signUp(String(old[0]), 'early')
      const servers = await startAll(url, 'second')
      const users = await Promise.all(servers.map((base) => readUser(base, cookie)))
      expect(users).toEqual(
        servers.map(() => expect.objectContaining({ name: 'early', role: 'member', nickname: null })),
      )
      await expectSharedUsers(servers)
      await signUp(String(old[0]), 'late')
      expect(await layoutOf(url)).toEqual(alone)
      await stopAll([...servers, ...old])
    }
  })

  it('reject a change that existing rows do not allow, and change nothing', async () => {
    const url = await createDatabase()
    const old = await startAll(url, 'first', processes.slice(0, 1))
    await signUp(String(old[0]), 'early')
    const before = await layoutOf(url)
    const started = await Promise.all(processes.map((process) => start(process, { url, version: 'unsafe' })))
    for (const { failure } of started) expect(failure).toContain('table "user", column "country"')
    expect(await layoutOf(url)).toEqual(before)
    await signUp(String(old[0]), 'late')
    await stopAll([...started.map((server) => server.url), ...old])
  })

  it('log no errors', () => {
    expect(processes.flatMap(errorsOf)).toEqual([])
  })
})

async function start(process: NodeProcess, plan: Plan): Promise<Started> {
  return must(200, send<Started>(process.url, 'POST /agent/start', { body: plan }))
}

/** Starts a server in each process at the same time, and returns their URLs. */
async function startAll(
  url: string,
  version: Plan['version'],
  within: readonly NodeProcess[] = processes,
): Promise<string[]> {
  const started = await Promise.all(within.map((process) => start(process, { url, version })))
  expect(started.map(({ failure }) => failure)).toEqual(started.map(() => null))
  return started.map((server) => server.url)
}

/** Stops servers; each process stops its own and ignores the others. */
async function stopAll(servers: readonly string[]): Promise<void> {
  await Promise.all(
    processes.flatMap((process) => servers.map((url) => send(process.url, 'POST /agent/stop', { body: { url } }))),
  )
}

/** Creates a user on each server at the same time, and expects that every server accepts its cookie. */
async function expectSharedUsers(servers: readonly string[]): Promise<void> {
  const cookies = await Promise.all(servers.map((base, at) => signUp(base, `user${at}`)))
  for (const [at, cookie] of cookies.entries()) {
    const users = await Promise.all(servers.map((base) => readUser(base, cookie)))
    expect(users.map(({ name }) => name)).toEqual(servers.map(() => `user${at}`))
  }
}

/** Creates a user, and returns its cookie. */
async function signUp(base: string, name: string): Promise<string> {
  const body = { name, email: `${name}@example.com`, password: 'correct horse' }
  const response = await send(base, 'POST /api/auth/sign-up/email', { body, headers: { origin: ORIGIN } })
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  return String(response.headers['set-cookie']?.[0]).replace(/;.*$/, '')
}

function readUser(base: string, cookie: string): Promise<Record<string, unknown>> {
  return must(200, send<Record<string, unknown>>(base, 'GET /api/me', { headers: { cookie } }))
}

/** Returns the layout that a single process creates, release by release, with a user in between. */
async function layoutAlone(...versions: Plan['version'][]): Promise<string[]> {
  const url = await createDatabase()
  for (const version of versions) {
    const servers = await startAll(url, version, processes.slice(0, 1))
    await signUp(String(servers[0]), version)
    await stopAll(servers)
  }
  return layoutOf(url)
}

/** Returns the definitions of the columns, indexes and foreign keys of a database. */
async function layoutOf(url: string): Promise<string[]> {
  const database = openDatabase(url)
  try {
    const rows = await database.query<{ it: string }>(
      `select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) it
         from information_schema.columns where table_schema = 'public'
       union all select indexdef from pg_indexes where schemaname = 'public'
       union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where contype = 'f'
       order by 1`,
    )
    return rows.map(({ it: text }) => text)
  } finally {
    await database.close()
  }
}
