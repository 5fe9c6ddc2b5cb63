/**
 * Measures the server of `examples/blog` against the same server with Express 5 and Prisma on a real PostgreSQL, in one
 * interleaved run, and counts their lines.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { blogCases } from './blog/cases.ts'
import { countLines } from './blog/count-lines.ts'
import { fillBlog } from './blog/rows.ts'
import { assertSameBodies, assertSameRoutes, register } from './blog/same-answers.ts'
import { ratioOf } from './harness/middle.ts'
import { generatePrisma, PRISMA_FLAGS } from './harness/prisma.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import type { Case } from './resources/cases.ts'
import { medianOf, runContest, type Sample, type Samples } from './resources/contest.ts'
import { findPostmaster, quietPostgres } from './resources/postgres-process.ts'
import { ask } from './resources/rows.ts'

const [OURS, PEER] = ['sdk', 'express']
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 1500)
const WARM_UP = Number(process.env['BENCH_WARM_UP'] ?? 1000)
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32)
const READERS = 20

pin(process.pid, CORE.load)
generatePrisma(join(import.meta.dirname, 'blog/express/schema.prisma'))
const postgres = await startPostgres()
await quietPostgres(postgres.url)
const postmaster = await findPostmaster(postgres.url)
pin(postmaster, CORE.load)

const running: ServerProcess[] = []
try {
  const compared = await assertSameRoutes([await start(PEER), await start(OURS)])
  const cases = new Map<ServerProcess, Readonly<Record<string, Case>>>()
  for (const name of [PEER, OURS]) cases.set(...(await prepare(name)))
  for (const name of Object.keys(blogCases([]))) {
    const asked = [...cases].flatMap(([server, all]) => (all[name] ? [{ server, asked: all[name] }] : []))
    await assertSameBodies(name, asked)
  }
  const servers = [...cases.keys()]
  const options = { servers, postmaster, rounds: ROUNDS, ms: MS, connections: CONNECTIONS, warmUp: WARM_UP }
  const samples = await runContest(options, (server) => cases.get(server) ?? {})
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; ${CONNECTIONS} connections; PostgreSQL on the core of the load\n`,
  )
  const folders = { [OURS]: '../examples/blog/src', [PEER]: 'blog/express' }
  for (const [name, folder] of Object.entries(folders))
    console.log(`${name}: ${countLines(join(import.meta.dirname, folder))} lines`)
  console.log(`${compared} requests to all routes, and the first of each case, had the same responses\n`)
  for (const [name, found] of samples) print(name, found)
} finally {
  for (const { child } of running) child.kill('SIGKILL')
  await postgres.stop()
}

/** Starts a server on its own database. */
async function start(name: string): Promise<ServerProcess & { url: string }> {
  const url = await postgres.createDatabase()
  if (name === PEER) await ask(url, readFileSync(join(import.meta.dirname, 'blog/express/tables.sql'), 'utf8'))
  const env = {
    DATABASE_URL: url,
    AUTH_SECRET: 'only for this benchmark, only for this benchmark',
    AUTH_URL: 'http://blog.test',
  }
  const file = join(import.meta.dirname, `blog/${name}.mjs`)
  const server = await startServer({ name, file, env, flags: PRISMA_FLAGS })
  running.push(server)
  return { ...server, url }
}

/** Starts a server, signs up its readers, and fills its tables. */
async function prepare(name: string): Promise<[ServerProcess, Readonly<Record<string, Case>>]> {
  const server = await start(name)
  const tokens: string[] = []
  for (let at = 0; at < READERS; at++) tokens.push(await register(server, `reader${at}`))
  await fillBlog(server.url, name)
  return [server, blogCases(tokens)]
}

function print(name: string, samples: Samples): void {
  console.log(name)
  for (const [server, all] of Object.entries(samples)) {
    const { rps, cpu, postgres: database } = medianOf(all)
    const [speed, used, queries] = [rps.toFixed(0), cpu.toFixed(0), database.toFixed(0)].map((text) => text.padStart(6))
    console.log(`  ${server.padEnd(8)} ${speed} /s  ${used} µs CPU  ${queries} µs CPU of PostgreSQL`)
  }
  const valuesOf = (server: string, key: keyof Sample): number[] => (samples[server] ?? []).map((one) => one[key])
  const ratio = (key: keyof Sample): string => ratioOf(valuesOf(OURS, key), valuesOf(PEER, key)).toFixed(2)
  console.log(
    `  ours / peer: ${ratio('rps')} × requests, ${ratio('cpu')} × CPU, ${ratio('postgres')} × CPU of PostgreSQL`,
  )
}
