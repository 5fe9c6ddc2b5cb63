/**
 * Measures the time from the start of a process to its first response, and its memory then: a built project and plain
 * servers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { middle } from './harness/middle.ts'
import { cpuOf } from './harness/process-cost.ts'
import { buildProject, SDK, WITH_DATABASE } from './start/project.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15)

interface Start {
  readonly ms: number
  readonly cpuMs: number
  readonly megabytes: number
}

const folder = mkdtempSync(join(tmpdir(), 'sdk-start-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
buildProject(folder)
const withDatabase = join(folder, 'with-database')
buildProject(withDatabase, WITH_DATABASE)
const postgres = await startPostgres()
const peer = (name: string): readonly string[] => [join(import.meta.dirname, `start/${name}.mjs`)]
const [OURS, PEER] = ['with @sdk/database and zod', 'hono 4 with pg and zod']
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  'node:http': peer('raw'),
  'hono 4, @hono/node-server': peer('hono'),
  'fastify 5': peer('fastify'),
  'node dist/server/index.js': ['dist/server/index.js'],
  'sdk start': [SDK, 'start'],
  [OURS]: [join(withDatabase, 'dist/server/index.js')],
  [PEER]: peer('hono-pg'),
}
const databases = new Map<readonly string[] | undefined, string>()
for (const name of [OURS, PEER]) databases.set(SERVERS[name], await postgres.createDatabase())

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} interleaved starts; load ${load()}\n`,
)
const starts = new Map<string, Start[]>(Object.keys(SERVERS).map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(SERVERS)) starts.get(name)?.push(await start(args))
}
console.log(`${'to the first answer'.padEnd(28)}ms (best)     CPU ms (best)  RSS MB`)
for (const name of Object.keys(SERVERS)) {
  const best = (pick: (one: Start) => number): string => `(${Math.min(...all(name, pick)).toFixed(0)})`
  const [ms, cpu] = [(one: Start) => one.ms, (one: Start) => one.cpuMs]
  console.log(
    `${name.padEnd(28)}${`${mid(name, ms)} ${best(ms)}`.padEnd(14)}${`${mid(name, cpu)} ${best(cpu)}`.padEnd(15)}${mid(name, (one) => one.megabytes)}`,
  )
}
console.log(`\nload ${load()} at the end; where it exceeds the cores, look at CPU: the rest of the time is waiting\n`)
goal('node dist/server/index.js', 200)
goal('sdk start', 400)
console.log(`        with a database: ${(mid(OURS, cpuMs) / mid(PEER, cpuMs)).toFixed(2)} × the CPU time of Hono`)
const memory = mid('node dist/server/index.js', (one) => one.megabytes)
console.log(`${memory <= 60 ? 'met    ' : 'NOT MET'}  RSS after the first answer: ${memory} MB (at most 60)`)
await postgres.stop()

function goal(name: string, most: number): void {
  const [ms, cpu] = [mid(name, (one) => one.ms), mid(name, cpuMs)]
  console.log(`${ms <= most ? 'met    ' : 'NOT MET'}  ${name}: ${ms} ms, of which ${cpu} are its own (at most ${most})`)
}

function cpuMs(one: Start): number {
  return one.cpuMs
}

function all(name: string, pick: (one: Start) => number): number[] {
  return (starts.get(name) ?? []).map(pick)
}

function mid(name: string, pick: (one: Start) => number): number {
  return Math.round(middle(all(name, pick)))
}

async function start(args: readonly string[]): Promise<Start> {
  const port = await freePort()
  const started = performance.now()
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'production', DATABASE_URL: databases.get(args) }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' })
  while (!(await isAnswered(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} exited with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const ms = performance.now() - started
  const { pid = 0 } = child
  const cost = { ms, cpuMs: cpuOf(pid), megabytes: memoryOf(pid) }
  child.kill('SIGKILL')
  await once(child, 'exit')
  return cost
}

function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    request({ port, path: '/api/status', agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    })
      .once('error', () => resolve(false)) // the server does not listen yet
      .end()
  })
}

/** Returns the current memory of a process, in MB. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(', ')
}
