/**
 * Measures our resources on a real PostgreSQL against the same hand-written routes with Fastify and pg, in one
 * interleaved run. Also measures the cost of a page at a depth of a million rows.
 */
import { cpus } from 'node:os'
import { startPostgres } from '@sdk/test-kit'
import { ratioOf } from './harness/middle.ts'
import { serverFile, serversBefore } from './harness/server-file.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { CASES, depthCases, depthName, type Case, type Cursors } from './resources/cases.ts'
import { medianOf, runContest, type ContestOptions, type Samples } from './resources/contest.ts'
import { findPostmaster, quietPostgres } from './resources/postgres-process.ts'
import { DEPTHS, fillAnchors, fillRest, idsBehind, planAnchors, SORTS, type Anchors } from './resources/rows.ts'
import { askServer, assertSameAnswers } from './resources/same-answers.ts'

const SERVERS = [...(process.env['BENCH_SERVERS'] ?? 'fastify,sdk').split(','), ...serversBefore('before')]
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 1500)
/** A number of requests, not a time: on a busy machine one second is not enough for the just-in-time compiler. */
const WARM_UP = Number(process.env['BENCH_WARM_UP'] ?? 3000)
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32)
/** The cases to measure, separated by commas; pages at a depth are measured only without this. */
const WANTED = process.env['BENCH_CASES']?.split(',')
const [OURS, PEER] = ['sdk', 'fastify']

interface Contestant {
  readonly server: ServerProcess
  readonly url: string
  readonly cursors: Cursors
}

pin(process.pid, CORE.load)
const postgres = await startPostgres()
await quietPostgres(postgres.url)
const postmaster = await findPostmaster(postgres.url)
pin(postmaster, CORE.load)

const contestants: Contestant[] = []
try {
  const anchors = await planAnchors(postgres.url)
  for (const name of SERVERS) contestants.push(await prepare(name, anchors))
  await run()
} finally {
  for (const { server } of contestants) server.child.kill('SIGKILL')
  await postgres.stop()
}

async function run(): Promise<void> {
  const servers = contestants.map(({ server }) => server)
  const options = { servers, postmaster, rounds: ROUNDS, ms: MS, connections: CONNECTIONS, warmUp: WARM_UP }
  for (const contestant of contestants) await checkDepths(contestant)
  const deep = WANTED === undefined ? await contest(options, ({ cursors }) => depthCases(cursors)) : new Map()
  const cases = Object.fromEntries(Object.entries(CASES).filter(([name]) => WANTED?.includes(name) ?? true))
  const others = await contest(options, () => cases)
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; ${CONNECTIONS} connections; PostgreSQL on the core of the load\n`,
  )
  for (const [name, samples] of [...others, ...deep]) print(name, samples)
  if (WANTED === undefined) for (const { server } of contestants) printDepths(server.name, deep)
}

/** Checks that both servers return the same responses, and then measures them. */
async function contest(
  options: ContestOptions,
  casesOf: (contestant: Contestant) => Readonly<Record<string, Case>>,
): Promise<ReadonlyMap<string, Samples>> {
  const known = new Map(contestants.map((one) => [one.server, casesOf(one)]))
  for (const name of Object.keys([...known.values()][0] ?? {})) {
    const asked = [...known].flatMap(([server, cases]) => (cases[name] ? [{ server, asked: cases[name] }] : []))
    await assertSameAnswers(name, asked)
  }
  return runContest(options, (server) => known.get(server) ?? {})
}

/** Starts a server on its own database, and fills the table that it created. */
async function prepare(name: string, anchors: Anchors): Promise<Contestant> {
  const url = await postgres.createDatabase()
  const server = await startServer({ name, file: serverFile('resources', name), env: { BENCH_DATABASE: url } })
  await readPage(server, '/api/v1/tasks') // waits until the table exists
  await fillAnchors(url, anchors)
  const cursors = await readCursors(server, anchors)
  await fillRest(url, anchors)
  return { server, url, cursors }
}

/**
 * Reads cursors as clients get them. Walking through a million rows takes too long, so the table first has only the
 * rows at the measured depths. We walk through these, one row per page, and then insert all others: a cursor keeps its
 * position.
 */
async function readCursors(server: ServerProcess, anchors: Anchors): Promise<Cursors> {
  const found: Partial<Record<keyof Cursors, string[]>> = {}
  for (const sort of SORTS) {
    const byId = new Map<number, string>()
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: '1', sort, ...(cursor !== '' && { cursor }) })
      const page = await readPage(server, `/api/v1/tasks?${query}`)
      cursor = page.pagination.nextCursor
      if (page.data[0] !== undefined && cursor !== null) byId.set(page.data[0].id, cursor)
    }
    found[sort] = anchors[sort].slice(0, DEPTHS.length).map((id) => byId.get(id) ?? '')
  }
  return found as Cursors
}

/** Checks that a page at a depth has the expected rows. */
async function checkDepths({ server, url, cursors }: Contestant): Promise<void> {
  const cases = depthCases(cursors)
  for (const sort of SORTS) {
    for (const depth of DEPTHS) {
      const name = depthName(sort, depth)
      const page = await readPage(server, cases[name]?.url(0) ?? '')
      const ids = page.data.map(({ id }) => id).join()
      const wanted = (await idsBehind(url, sort, depth)).join()
      if (ids !== wanted) throw new Error(`${server.name}, ${name}: ${ids} instead of ${wanted}`)
    }
  }
}

interface TaskPage {
  readonly data: readonly { readonly id: number }[]
  readonly pagination: { readonly nextCursor: string | null }
}

async function readPage(server: ServerProcess, url: string): Promise<TaskPage> {
  const response = await askServer(server, { method: 'GET', url: () => url, status: 200 })
  return (await response.json()) as TaskPage
}

function print(name: string, samples: Samples): void {
  console.log(name)
  for (const [server, all] of Object.entries(samples)) {
    const { rps, cpu, postgres: database } = medianOf(all)
    const [speed, used, queries] = [rps.toFixed(0), cpu.toFixed(1), database.toFixed(1)].map((text) => text.padStart(7))
    console.log(`  ${server.padEnd(8)} ${speed} /s  ${used} µs CPU  ${queries} µs CPU of PostgreSQL`)
  }
  const [ours, peer] = [samples[OURS] ?? [], samples[PEER] ?? []]
  if (ours.length === 0 || peer.length === 0) return
  const ratio = (key: 'rps' | 'cpu' | 'postgres'): string =>
    ratioOf(
      ours.map((one) => one[key]),
      peer.map((one) => one[key]),
    ).toFixed(2)
  console.log(
    `  ours / peer: ${ratio('rps')} × requests, ${ratio('cpu')} × CPU, ${ratio('postgres')} × CPU of PostgreSQL`,
  )
}

/** Returns how much longer the slowest depth takes than the fastest. */
function printDepths(server: string, deep: ReadonlyMap<string, Samples>): void {
  for (const sort of SORTS) {
    const all = DEPTHS.map((depth) => medianOf(deep.get(depthName(sort, depth))?.[server] ?? []))
    const spread = (key: 'rps' | 'cpu' | 'postgres'): string => {
      const values = all.map((one) => one[key])
      return (Math.max(...values) / Math.min(...values)).toFixed(2)
    }
    console.log(
      `depth, ${server}, sort=${sort}: ${spread('rps')} × requests, ${spread('cpu')} × CPU, ${spread('postgres')} × CPU of PostgreSQL`,
    )
  }
}
