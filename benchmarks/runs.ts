/**
 * Measures durable runs on a real PostgreSQL and on PGlite, compared with DBOS Transact and absurd, and jobs, compared
 * with pg-boss and graphile-worker, in one interleaved run. All libraries run on Node 22, which the last two require.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { installNode } from '../scripts/nodes.ts'
import { middle, ratioOf } from './harness/middle.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { findPostmaster, postgresCost, postgresCpuBetween, quietPostgres } from './resources/postgres-process.ts'
import { ask as query } from './resources/rows.ts'
import { loadAbsurdSql } from './runs/absurd-sql.ts'
import { readStreams } from './runs/latency.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 2000)
/**
 * The rounds before the first measured one, in which the just-in-time compiler optimizes the code. A round of jobs takes
 * a tenth of a second, so it needs several.
 */
const WARM_UP = Number(process.env['BENCH_WARM_UP'] ?? 1)
/** `BENCH_FSYNC=on` makes PostgreSQL wait for the disk, as in production. */
const DISK = process.env['BENCH_FSYNC'] === 'on' ? ['fsync=on', 'full_page_writes=on'] : []
/** The number of runs at once. */
const RUNS = 20
const JOBS = { count: 1000, batch: 50 }
const PACE = { streams: 50, perSecond: 50, count: Math.round((50 * 2 * MS) / 1000) }

/** What a library reports after a case. */
interface Outcome {
  readonly count: number
  readonly ms: number
  /** Microseconds of CPU of its process. */
  readonly cpu: number
  /** The time to deliver each chunk, in microseconds. */
  readonly took?: readonly number[]
}

/** The result of one round. */
interface Sample {
  readonly rate: number
  readonly ms: number
  /** Microseconds of CPU for each step, chunk or job: of the library's process, and of PostgreSQL's processes. */
  readonly cpu: number
  readonly postgres: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

interface Case {
  readonly sides: readonly string[]
  /** The name and options of the case in the library's process. */
  readonly name: string
  readonly options: object
}

const DELIVERED = 'chunks delivered, 50 streams × 50/s'
const ENQUEUE = { insert: 'insert in a transaction', both: 'insert and job in a transaction' } as const
const CASES: Readonly<Record<string, Case>> = {
  'steps, 20 runs': { sides: ['sdk', 'dbos', 'absurd'], name: 'steps', options: { runs: RUNS, ms: MS } },
  'steps, 1 run': { sides: ['sdk', 'dbos', 'absurd'], name: 'steps', options: { runs: 1, ms: MS } },
  'chunks, 20 runs': { sides: ['sdk', 'dbos'], name: 'chunks', options: { runs: RUNS, ms: MS } },
  'steps on PGlite, 20 runs': {
    sides: ['sdk-pglite', 'absurd-pglite'],
    name: 'steps',
    options: { runs: RUNS, ms: MS },
  },
  [DELIVERED]: { sides: ['sdk', 'dbos'], name: 'latency', options: PACE },
  'jobs, batches of 50': {
    sides: ['sdk', 'pg-boss', 'graphile-worker', 'graphile-worker-tuned'],
    name: 'jobs',
    options: JOBS,
  },
  [ENQUEUE.insert]: { sides: ['sdk', 'pg-boss', 'graphile-worker'], name: 'insert', options: { ms: MS } },
  [ENQUEUE.both]: {
    sides: ['sdk', 'pg-boss', 'graphile-worker'],
    name: 'enqueue',
    options: { ms: MS },
  },
}
/** The names are separated by `;`, since some contain a comma. */
const chosen = Object.entries(CASES).filter(([name]) =>
  (process.env['BENCH_CASES']?.split(';') ?? [name]).includes(name),
)
const wanted = process.env['BENCH_SIDES']?.split(',')
const isWanted = (side: string): boolean => wanted?.includes(side) ?? true

/** The npm packages of the libraries. */
const PACKAGES = {
  dbos: '@dbos-inc/dbos-sdk',
  absurd: 'absurd-sdk',
  'pg-boss': 'pg-boss',
  'graphile-worker': 'graphile-worker',
}

/** A rate must be at least, and a time at most, this multiple of the peer's. */
const GOALS: readonly [name: string, ours: string, peer: string, key: 'rate' | 'ms', goal: number][] = [
  ['steps, 20 runs', 'sdk', 'dbos', 'rate', 4],
  ['steps, 20 runs', 'sdk', 'absurd', 'rate', 4],
  ['steps, 1 run', 'sdk', 'dbos', 'ms', 0.6],
  ['chunks, 20 runs', 'sdk', 'dbos', 'rate', 4],
  ['steps on PGlite, 20 runs', 'sdk-pglite', 'absurd-pglite', 'rate', 8],
  ['jobs, batches of 50', 'sdk', 'pg-boss', 'rate', 1.2],
  ['jobs, batches of 50', 'sdk', 'graphile-worker', 'rate', 5],
  ['jobs, batches of 50', 'sdk', 'graphile-worker-tuned', 'rate', 1],
]

const node = await installNode(22)
pin(process.pid, CORE.load)
const postgres = await startPostgres({ settings: DISK })
await quietPostgres(postgres.url)
const postmaster = await findPostmaster(postgres.url)
pin(postmaster, CORE.load)

const urls: string[] = []
const sides = new Map<string, ServerProcess>()
const samples = new Map<string, Sample[]>()
try {
  for (const name of new Set(chosen.flatMap(([, one]) => one.sides).filter(isWanted)))
    sides.set(name, await start(name))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, one] of chosen) await runRound(name, one, round)
    // Autovacuum is off, since its work would be charged to the library that runs then.
    for (const url of urls) await query(url, 'vacuum analyze')
  }
  print()
} finally {
  for (const { child } of sides.values()) child.kill('SIGKILL')
  await postgres.stop()
}

/** Starts a library on its own database. */
async function start(name: string): Promise<ServerProcess> {
  const [program = name, kind] = name.split(/-(?=(?:pglite|tuned)$)/)
  const url = kind === 'pglite' ? 'pglite://memory' : await postgres.createDatabase()
  if (kind !== 'pglite') urls.push(url)
  const absurdSql = program === 'absurd' ? await loadAbsurdSql() : ''
  const env = { BENCH_DATABASE: url, BENCH_ABSURD_SQL: absurdSql, BENCH_KIND: kind ?? '' }
  const flags = process.env['BENCH_FLAGS']?.split(' ') ?? []
  const file = join(import.meta.dirname, `runs/${program}.mjs`)
  return startServer({ name, file, env, flags, node: node.path })
}

/** Runs a case in all libraries. The order alternates, so that no library always runs after another one. */
async function runRound(name: string, one: Case, round: number): Promise<void> {
  const found = one.sides.flatMap((side) => sides.get(side) ?? [])
  for (const side of round % 2 === 0 ? found : found.toReversed()) {
    const sample = await measure(side, one)
    const key = `${name} ${side.name}`
    if (round >= 0) samples.set(key, [...(samples.get(key) ?? []), sample])
  }
}

async function measure(side: ServerProcess, { name, options }: Case): Promise<Sample> {
  const before = postgresCost(postmaster)
  const isHttp = name === 'latency' && side.name === 'sdk'
  const { count, ms, cpu, took = [] } = isHttp ? await readOverHttp(side) : await ask(side, name, options)
  const database = postgresCpuBetween(before, postgresCost(postmaster))
  const sorted = took.toSorted((a, b) => a - b)
  const [p50 = Number.NaN, p99 = Number.NaN] = [0.5, 0.99].map(
    (part) => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN) / 1000,
  )
  return { rate: (count / ms) * 1000, ms: ms / count, cpu: cpu / count, postgres: database / count, p50, p99 }
}

async function readOverHttp(side: ServerProcess): Promise<Outcome> {
  const before = await ask(side, 'cost', {})
  const { took, ms } = await readStreams(side.port, PACE)
  return { took, ms, count: took.length, cpu: (await ask(side, 'cost', {})).count - before.count }
}

async function ask({ child }: ServerProcess, name: string, options: object): Promise<Outcome> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(120_000) })
  child.send({ name, options })
  return ((await answered) as [Outcome])[0]
}

function print(): void {
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${node.version}; ${ROUNDS} rounds of ${MS} ms, medians; pools of 10; PostgreSQL on its own core; load ${load}`,
  )
  console.log(
    `${Object.entries(PACKAGES)
      .map(([side, name]) => `${side} ${versionOf(name)}`)
      .join(', ')}\n`,
  )
  for (const [name, one] of chosen) printCase(name, one)
  console.log('goals')
  printGoals()
}

function printCase(name: string, one: Case): void {
  console.log(name)
  for (const side of one.sides.filter((each) => sides.has(each))) {
    const all = samples.get(`${name} ${side}`) ?? []
    const [rate, ms, cpu, database, p50, p99] = (['rate', 'ms', 'cpu', 'postgres', 'p50', 'p99'] as const).map((key) =>
      middle(all.map((sample) => sample[key])),
    )
    const delivered = Number.isNaN(p50) ? '' : `  p50 ${p50?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`
    console.log(
      `  ${side.padEnd(21)} ${rate?.toFixed(0).padStart(6)} /s  ${ms?.toFixed(3).padStart(7)} ms  ${cpu?.toFixed(0).padStart(6)} µs CPU  ${database?.toFixed(0).padStart(6)} µs CPU of PostgreSQL${delivered}`,
    )
  }
}

/** Compares the medians of the ratios in each round. */
function printGoals(): void {
  for (const [name, ours, peer, key, goal] of GOALS) {
    const [some, others] = [ours, peer].map((side) => samples.get(`${name} ${side}`) ?? [])
    if (some === undefined || others === undefined || some.length === 0 || others.length === 0) continue
    const ratio = (of: (sample: Sample) => number): number => ratioOf(some.map(of), others.map(of))
    const found = ratio((sample) => sample[key])
    const both = 1 / ratio(({ cpu, postgres: database }) => cpu + database)
    const isMet = key === 'rate' ? found >= goal : found <= goal
    console.log(
      `  ${name}, ${ours} / ${peer}: ${found.toFixed(2)} × ${key} (goal ${goal}) ${isMet ? 'met' : 'NOT MET'}; ${both.toFixed(2)} × by CPU of both processes`,
    )
  }
  for (const side of ['sdk', 'pg-boss', 'graphile-worker']) {
    const [one, both] = [ENQUEUE.insert, ENQUEUE.both].map((name) => samples.get(`${name} ${side}`) ?? [])
    if (one === undefined || both === undefined || one.length === 0 || both.length === 0) continue
    const times = (of: (sample: Sample) => number): string => ratioOf(both.map(of), one.map(of)).toFixed(2)
    const cpu = times((sample) => sample.cpu + sample.postgres)
    console.log(
      `  a job in a transaction, ${side}: ${times(({ ms }) => ms)} × an insert alone (goal 1.3); ${cpu} × by CPU`,
    )
  }
  const delivered = samples.get(`${DELIVERED} sdk`) ?? []
  const [p50, p99] = [middle(delivered.map((one) => one.p50)), middle(delivered.map((one) => one.p99))]
  if (delivered.length > 0)
    console.log(
      `  ${DELIVERED}: p50 ${p50.toFixed(1)} ms (goal 10), p99 ${p99.toFixed(1)} ms (goal 50) ${p50 <= 10 && p99 <= 50 ? 'met' : 'NOT MET'}`,
    )
}

function versionOf(name: string): string {
  const text = readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
