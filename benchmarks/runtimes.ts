/** Measures CPU per request on Bun and Deno, beside Hono, bare and with the same parts, in one interleaved run. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installOtherRuntimes } from '../scripts/nodes.ts'
import { runLoad } from './harness/load.ts'
import { middle } from './harness/middle.ts'
import { CORE, pin } from './harness/server-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 2000)
const SERVERS = ['hono', 'hono-full', 'sdk']
const CASES = {
  post: {
    path: '/agent/work',
    body: { text: 'The quick brown fox', count: 41, tags: ['one', 'two'] },
    connections: 32,
  },
  burst: { path: '/agent/burst', body: {}, connections: 16 },
}
const RUN: Readonly<Record<string, readonly string[]>> = {
  deno: ['run', '--allow-all', '--no-check', '--node-modules-dir=manual'],
}

interface Server {
  readonly key: string
  readonly child: ChildProcess
  readonly port: number
}

pin(process.pid, CORE.load)
const paths: Readonly<Record<string, string>> = { ...(await installOtherRuntimes()), node: process.execPath }
const chosen = (process.env['BENCH_RUNTIMES'] ?? 'bun,deno').split(',')
const samples = new Map<string, number[]>()
for (const runtime of chosen) {
  const servers = await Promise.all(SERVERS.map((name) => start(runtime, name)))
  for (let round = 0; round <= ROUNDS; round++)
    await measureAll(round % 2 === 0 ? servers : servers.toReversed(), round)
  for (const { child } of servers) child.kill('SIGKILL')
}

console.log(`CPU per request, medians of ${ROUNDS} rounds of ${MS} ms; server and load on different cores\n`)
for (const runtime of chosen)
  for (const name of Object.keys(CASES)) {
    const [bare = 0, full = 0, ours = 0] = SERVERS.map((server) =>
      middle(samples.get(`${runtime} ${server} ${name}`) ?? []),
    )
    const costs = `bare Hono ${bare.toFixed(0)} µs, Hono ${full.toFixed(0)} µs, ours ${ours.toFixed(0)} µs`
    const ratios = `${(full / ours).toFixed(2)} × Hono, ${(bare / ours).toFixed(2)} × bare Hono`
    console.log(`${runtime.padEnd(5)} ${name.padEnd(6)} ${costs}: ${ratios}`)
  }

async function start(runtime: string, name: string): Promise<Server> {
  const file = join(import.meta.dirname, 'runtimes', `${name}.mjs`)
  const child = spawn(paths[runtime] ?? runtime, [...(RUN[runtime] ?? []), file], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.pid !== undefined) pin(child.pid, CORE.server)
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${name} on ${runtime} exited with ${code}`)))
  })
  return { key: `${runtime} ${name}`, child, port: Number(line.split(' ')[1]) }
}

/** The order of the servers alternates, so that no server always runs after another one. */
async function measureAll(servers: readonly Server[], round: number): Promise<void> {
  for (const name of Object.keys(CASES) as (keyof typeof CASES)[])
    for (const server of servers) await measure(server, name, round)
}

async function measure({ key, child, port }: Server, name: keyof typeof CASES, round: number): Promise<void> {
  const { path, body, connections } = CASES[name]
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`
  const request = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  const before = cpuOf(child)
  const { requests, statuses } = await runLoad({ port, request, connections, ms: MS })
  if (statuses.get(200) !== requests) throw new Error(`${key} answered ${name} with ${[...statuses.keys()].join(', ')}`)
  if (round === 0) return // warms up the just-in-time compiler
  const id = `${key} ${name}`
  samples.set(id, [...(samples.get(id) ?? []), (cpuOf(child) - before) / requests])
}

/** Returns the CPU time of a process on Linux, in microseconds. Its clock ticks 100 times a second. */
function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
