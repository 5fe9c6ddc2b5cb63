/** Requests a second and CPU a request: ours beside its peers, all in one interleaved run. */
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { runLoad } from './http/load.ts'

const SERVERS = (process.env['BENCH_SERVERS'] ?? 'raw,fastify,hono,sdk').split(',')
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const MS = Number(process.env['BENCH_MS'] ?? 2500)
const BODY = JSON.stringify({
  text: 'The quick brown fox jumps over the lazy dog',
  count: 41,
  tags: ['one', 'two', 'three'],
})

const CASES: Readonly<Record<string, { path: string; body: string; connections: number }>> = {
  post: { path: '/agent/work', body: BODY, connections: 32 },
  burst: { path: '/agent/burst', body: '{}', connections: 16 },
  paced: { path: '/agent/paced', body: '{}', connections: 16 },
  'bad 400': { path: '/agent/work', body: '{"text":"","count":1,"tags":[]}', connections: 32 },
  'none 404': { path: '/agent/none', body: '{}', connections: 32 },
}
const chosen = (process.env['BENCH_CASES'] ?? Object.keys(CASES).join(',')).split(',')

interface Running {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

interface Cost {
  cpu: NodeJS.CpuUsage
  rss: number
}

interface Sample {
  readonly rps: number
  readonly cpuMicros: number
}

pin(process.pid, 1)
const running: Running[] = []
const idle: Record<string, number> = {}
for (const name of SERVERS) {
  const server = await start(name)
  running.push(server)
  idle[name] = (await cost(server)).rss / 2 ** 20
}

const samples = new Map<string, Sample[]>()
for (let round = 0; round <= ROUNDS; round++) {
  for (const name of chosen) for (const server of running) await measure(name, server, round)
}
for (const { child } of running) child.kill()

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; server and load on different cores\n`,
)
for (const name of chosen) {
  console.log(name)
  const raw = median(`${name} raw`)
  for (const { name: server } of running) {
    const { rps, cpuMicros } = median(`${name} ${server}`)
    const ratio =
      raw === undefined ? '' : `  ${(rps / raw.rps).toFixed(2)} × raw, CPU ${(raw.cpuMicros / cpuMicros).toFixed(2)} ×`
    console.log(
      `  ${server.padEnd(8)} ${rps.toFixed(0).padStart(6)} /s  ${cpuMicros.toFixed(1).padStart(7)} µs CPU${ratio}`,
    )
  }
}
console.log(`idle RSS  ${SERVERS.map((name) => `${name} ${idle[name]?.toFixed(0)} MB`).join(', ')}`)

async function start(name: string): Promise<Running> {
  const child = fork(join(import.meta.dirname, `http/${name}.mjs`), {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (child.pid !== undefined) pin(child.pid, 0)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { name, child, port }
}

async function measure(name: string, server: Running, round: number): Promise<void> {
  const { path, body, connections } = CASES[name] ?? { path: '/', body: '', connections: 1 }
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const before = await cost(server)
  const result = await runLoad({ port: server.port, request, connections, ms: round === 0 ? MS / 2 : MS })
  const after = await cost(server)
  if (round === 0) return // the just-in-time compiler's round
  const micros = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  const key = `${name} ${server.name}`
  samples.set(key, [
    ...(samples.get(key) ?? []),
    { rps: result.requests / result.seconds, cpuMicros: micros / result.requests },
  ])
}

async function cost({ child }: Running): Promise<Cost> {
  child.send('cost')
  const [answer] = (await once(child, 'message')) as [Cost]
  return answer
}

function median(key: string): Sample {
  const middle = (pick: (sample: Sample) => number): number =>
    (samples.get(key) ?? []).map(pick).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  return { rps: middle(({ rps }) => rps), cpuMicros: middle(({ cpuMicros }) => cpuMicros) }
}

/** Keeps a process on one core, so that load and server do not take each other's. */
function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-cp', String(core), String(pid)], { stdio: 'ignore' })
}
