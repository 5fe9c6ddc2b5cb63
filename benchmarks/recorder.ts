/**
 * Measures the cost of recording all calls, as `sdk dev` does: the same app with and without, in one interleaved run.
 */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { runLoad } from './harness/load.ts'
import { middle, ratioOf } from './harness/middle.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const MS = Number(process.env['BENCH_MS'] ?? 2000)

interface Case {
  readonly path: string
  readonly body: unknown
  readonly connections: number
}

const WORK = { text: 'The quick brown fox jumps over the lazy dog', count: 41, tags: ['one', 'two', 'three'] }
const CASES: Readonly<Record<string, Case>> = {
  'POST JSON': { path: '/agent/work', body: WORK, connections: 32 },
  '100 chunks at once': { path: '/agent/burst', body: {}, connections: 16 },
  '100 chunks, one a turn': { path: '/agent/paced', body: {}, connections: 16 },
}

interface Sample {
  readonly rps: number
  readonly cpuMicros: number
}

pin(process.pid, CORE.load)
const file = join(import.meta.dirname, 'recorder/server.mjs')
const plain = await startServer({ name: 'plain', file })
const recorded = await startServer({ name: 'recorded', file, env: { BENCH_RECORDED: 'yes' } })

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; server and load on different cores\n`,
)
for (const [name, one] of Object.entries(CASES)) await compare(name, one)
for (const server of [plain, recorded])
  console.log(`RSS ${server.name} ${((await costOf(server)).rss / 2 ** 20).toFixed(0)} MB`)
for (const { child } of [plain, recorded]) child.disconnect() // so that they exit by themselves and clean up

async function compare(name: string, one: Case): Promise<void> {
  const samples = { plain: [] as Sample[], recorded: [] as Sample[] }
  for (let round = 0; round <= ROUNDS; round++) {
    // The order alternates, since the second one has a warmer machine.
    const isEven = round % 2 === 0
    const first = await measure(isEven ? plain : recorded, one)
    const second = await measure(isEven ? recorded : plain, one)
    if (round === 0) continue // warms up the just-in-time compiler
    samples.plain.push(isEven ? first : second)
    samples.recorded.push(isEven ? second : first)
  }
  print(name, samples.plain, samples.recorded)
}

async function measure(server: ServerProcess, { path, body, connections }: Case): Promise<Sample> {
  const before = await costOf(server)
  const result = await runLoad({ port: server.port, request: toRequest(path, body), connections, ms: MS })
  const after = await costOf(server)
  const wrong = [...result.statuses.keys()].filter((status) => status !== 200)
  if (wrong.length > 0) throw new Error(`${server.name} answered ${path} with ${wrong.join(', ')}`)
  return { rps: result.requests / result.seconds, cpuMicros: cpuBetween(before, after) / result.requests }
}

function print(name: string, plainOnes: readonly Sample[], recordedOnes: readonly Sample[]): void {
  const rps = (samples: readonly Sample[]): number[] => samples.map((sample) => sample.rps)
  const cpu = (samples: readonly Sample[]): number[] => samples.map((sample) => sample.cpuMicros)
  console.log(name)
  for (const [label, samples] of [
    ['plain', plainOnes],
    ['recorded', recordedOnes],
  ] as const)
    console.log(
      `  ${label.padEnd(9)} ${middle(rps(samples)).toFixed(0).padStart(6)} /s  ${middle(cpu(samples)).toFixed(1).padStart(7)} µs CPU`,
    )
  console.log(
    `  ratio     ${ratioOf(rps(recordedOnes), rps(plainOnes)).toFixed(3)} of the throughput, ${ratioOf(cpu(recordedOnes), cpu(plainOnes)).toFixed(3)} × the CPU\n`,
  )
}

function toRequest(path: string, body: unknown): Buffer {
  const text = JSON.stringify(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
