/** Measures the CPU time per request of our server in workerd, beside Hono, in one interleaved run. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWorkerd } from '../tests/runtimes/workerd/start-workerd.ts'
import { runLoad } from './harness/load.ts'
import { middle } from './harness/middle.ts'
import { CORE, pin } from './harness/server-process.ts'

const SERVERS = ['hono', 'hono-guarded', 'sdk']
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const MS = Number(process.env['BENCH_MS'] ?? 1500)
const WORK = { text: 'The quick brown fox jumps over the lazy dog', count: 41, tags: ['one', 'two', 'three'] }
const CASES = [
  { name: 'POST with Zod', path: '/agent/work', body: WORK, connections: 32 },
  { name: 'NDJSON, 100 chunks', path: '/agent/burst', body: {}, connections: 16 },
]
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

type Load = Parameters<typeof runLoad>[0]

interface Contestant {
  readonly name: string
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

interface Sample {
  readonly cpuMicros: number
  readonly rps: number
}

pin(process.pid, CORE.load)
const servers: Contestant[] = []
for (const name of SERVERS) {
  const server = await startWorkerd(join(import.meta.dirname, 'workerd', `${name}.mjs`), { hasSockets: false })
  for (const thread of threadsOf(server.pid)) pin(thread, CORE.server)
  servers.push({ name, port: Number(new URL(server.url).port), ...server })
}

for (const { name, path, body, connections } of CASES) {
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`
  const samples = new Map<string, Sample[]>(SERVERS.map((server) => [server, []]))
  const load = { request: Buffer.from(`${head}\r\n\r\n${text}`), connections, ms: MS }
  await measureAll(0, load) // warms up
  for (let round = 1; round <= ROUNDS; round++)
    for (const [server, sample] of await measureAll(round, load)) samples.get(server)?.push(sample)
  console.log(`${name}: median of ${ROUNDS} rounds of ${MS} ms`)
  const own = middle((samples.get('sdk') ?? []).map(({ cpuMicros }) => cpuMicros))
  for (const [server, all] of samples) {
    const cpu = middle(all.map(({ cpuMicros }) => cpuMicros))
    const rps = middle(all.map((sample) => sample.rps))
    console.log(
      `  ${server.padEnd(13)} ${rps.toFixed(0).padStart(6)} /s ${cpu.toFixed(0).padStart(6)} µs CPU  sdk: ${(cpu / own).toFixed(2)} ×`,
    )
  }
}
for (const { stop } of servers) await stop()

function threadsOf(pid: number): number[] {
  return execFileSync('ls', [`/proc/${pid}/task`], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)
}

/** Returns the CPU time of a process, in user and system mode. */
function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6
}

/** Measures all servers one after another. The order alternates, so that no server always runs after another one. */
async function measureAll(round: number, load: Omit<Load, 'port'>): Promise<[string, Sample][]> {
  const measured: [string, Sample][] = []
  for (const { name, pid, port } of round % 2 === 0 ? servers : servers.toReversed()) {
    const before = cpuMicrosOf(pid)
    const { requests, seconds, statuses } = await runLoad({ ...load, port })
    if (statuses.get(200) !== requests) throw new Error(`${name} failed: ${[...statuses.keys()].join(', ')}`)
    measured.push([name, { cpuMicros: (cpuMicrosOf(pid) - before) / requests, rps: requests / seconds }])
  }
  return measured
}
