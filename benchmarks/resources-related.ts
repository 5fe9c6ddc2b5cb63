/**
 * Measures a page of 20 rows with three relations on a real PostgreSQL: ours with `expand`, one hand-written statement
 * with joins, Drizzle's relational queries and Prisma, in one interleaved run.
 */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { middle, ratioOf } from './harness/middle.ts'
import { generatePrisma, PRISMA_FLAGS } from './harness/prisma.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { startStatementCounter } from './harness/statement-counter.ts'
import type { Case } from './resources/cases.ts'
import { medianOf, runContest, type Sample } from './resources/contest.ts'
import { findPostmaster, quietPostgres } from './resources/postgres-process.ts'
import { createTables, fillTables } from './resources/related/rows.ts'
import { askServer, assertSameAnswers } from './resources/same-answers.ts'

const [OURS, PEER] = ['sdk', 'sql']
const SERVERS = (process.env['BENCH_SERVERS'] ?? 'sql,drizzle,prisma,prisma-join,sdk').split(',')
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 1500)
const WARM_UP = Number(process.env['BENCH_WARM_UP'] ?? 2000)
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32)

const PAGE: Case = {
  method: 'GET',
  url: () => '/api/v1/articles?limit=20&sort=-id&expand=author,comments,favoriteCount',
  status: 200,
}

pin(process.pid, CORE.load)
if (SERVERS.some(isPrisma)) generatePrisma(join(import.meta.dirname, 'resources/related/schema.prisma'))
const postgres = await startPostgres()
await quietPostgres(postgres.url)
const postmaster = await findPostmaster(postgres.url)
pin(postmaster, CORE.load)

const servers: ServerProcess[] = []
const statements: Record<string, number> = {}
try {
  for (const name of SERVERS) await prepare(name)
  if ((statements[OURS] ?? 1) !== 1) throw new Error(`a page of ours took ${statements[OURS]} statements instead of 1`)
  await assertSameAnswers(
    'the page',
    servers.map((server) => ({ server, asked: PAGE })),
  )
  const options = { servers, postmaster, rounds: ROUNDS, ms: MS, connections: CONNECTIONS, warmUp: WARM_UP }
  const samples = (await runContest(options, () => ({ page: PAGE }))).get('page') ?? {}
  print(samples)
} finally {
  for (const { child } of servers) child.kill('SIGKILL')
  await postgres.stop()
}

function isPrisma(name: string): boolean {
  return name.startsWith('prisma')
}

/** Starts a server on its own database, fills its tables, and counts the statements of a page. */
async function prepare(name: string): Promise<void> {
  const url = await postgres.createDatabase()
  if (name !== OURS) await createTables(url)
  const server = await start(name, url)
  servers.push(server)
  await askServer(server, PAGE) // waits until our tables exist
  await fillTables(url)
  statements[name] = await countStatements(name, url)
}

function start(name: string, url: string): Promise<ServerProcess> {
  const file = join(import.meta.dirname, `resources/related/${name}.mjs`)
  return startServer({ name, file, env: { BENCH_DATABASE: url }, flags: isPrisma(name) ? PRISMA_FLAGS : [] })
}

/** Counts the statements of a page, with another process of the server that connects through a proxy. */
async function countStatements(name: string, url: string): Promise<number> {
  const counter = await startStatementCounter(url)
  const server = await start(name, counter.url)
  try {
    for (let at = 0; at < 3; at++) await askServer(server, PAGE) // checks of the tables, and first statements
    const before = counter.count()
    await askServer(server, PAGE)
    return counter.count() - before
  } finally {
    server.child.kill('SIGKILL')
    counter.close()
  }
}

function print(samples: Readonly<Record<string, readonly Sample[]>>): void {
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; ${CONNECTIONS} connections; PostgreSQL on the core of the load\n`,
  )
  console.log('a page of 20 articles with author, newest comments and number of favorites')
  const peer = (samples[PEER] ?? []).map(wholeOf)
  for (const [name, all] of Object.entries(samples)) {
    const { rps, cpu, postgres: database } = medianOf(all)
    const whole = all.map(wholeOf)
    const figures = [rps.toFixed(0), cpu.toFixed(1), database.toFixed(1), middle(whole).toFixed(1)]
    const [speed, used, queries, sum] = figures.map((text) => text.padStart(7))
    const ratio = peer.length === 0 ? '' : `  ${ratioOf(whole, peer).toFixed(2)} × ${PEER}`
    console.log(
      `  ${name.padEnd(11)} ${speed} /s  ${used} µs CPU  ${queries} µs CPU of PostgreSQL  ${sum} µs together${ratio}  ${statements[name]} statements`,
    )
  }
}

/** Returns the CPU of the server and of PostgreSQL. */
function wholeOf({ cpu, postgres: database }: Sample): number {
  return cpu + database
}
