/** Measures requests per second and CPU per request, compared with our peers, in one interleaved run. */
import { once } from 'node:events'
import { cpus } from 'node:os'
import { runLoad } from './harness/load.ts'
import { middle } from './harness/middle.ts'
import { serverFile, serversBefore } from './harness/server-file.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'

const ALL = 'raw,fastify,hono,h3,express,trpc,orpc,sdk,sdk-log'
const SERVERS = [...(process.env['BENCH_SERVERS'] ?? ALL).split(','), ...serversBefore('before')]
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const MS = Number(process.env['BENCH_MS'] ?? 2000)
const STARTS = Number(process.env['BENCH_STARTS'] ?? 5)

interface Case {
  readonly path: string
  readonly body: unknown
  readonly connections: number
  /** The status of a correct response; any other fails the run. */
  readonly status: number
}

const WORK = { text: 'The quick brown fox jumps over the lazy dog', count: 41, tags: ['one', 'two', 'three'] }
const CASES: Readonly<Record<string, Case>> = {
  post: { path: '/agent/work', body: WORK, connections: 32, status: 200 },
  burst: { path: '/agent/burst', body: {}, connections: 16, status: 200 },
  paced: { path: '/agent/paced', body: {}, connections: 16, status: 200 },
  'bad 400': { path: '/agent/work', body: { text: '', count: 1, tags: [] }, connections: 32, status: 400 },
  'none 404': { path: '/agent/none', body: {}, connections: 32, status: 404 },
}
const chosen = (process.env['BENCH_CASES'] ?? Object.keys(CASES).join(',')).split(',')

/** These two use their own stream formats, which are not compared. */
const NO_STREAMS = new Set(['trpc', 'orpc'])

interface Sample {
  readonly rps: number
  readonly cpuMicros: number
}

pin(process.pid, CORE.load)
const starts = await measureStarts()
const running: ServerProcess[] = []
const idle: Record<string, number> = {}
for (const name of SERVERS) {
  const server = await start(name)
  running.push(server)
  await new Promise((resolve) => setTimeout(resolve, 500))
  idle[name] = (await costOf(server)).rss / 2 ** 20
}

const samples = new Map<string, Sample[]>()
for (let round = 0; round <= ROUNDS; round++) {
  // The order alternates, so that no server always runs after another one.
  for (const name of chosen)
    for (const server of round % 2 === 0 ? offering(name) : offering(name).toReversed())
      await measure(name, server, round)
}
for (const { child } of running) child.kill('SIGKILL')

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; server and load on different cores\n`,
)
for (const name of chosen) print(name)
console.log(`idle RSS, MB   ${SERVERS.map((name) => `${name} ${idle[name]?.toFixed(0)}`).join(', ')}`)
console.log(`to 1st answer, ms   ${SERVERS.map((name) => `${name} ${starts[name]?.toFixed(0)}`).join(', ')}`)

function offering(name: string): ServerProcess[] {
  const isStream = name === 'burst' || name === 'paced'
  return running.filter((server) => !isStream || !NO_STREAMS.has(server.name))
}

function print(name: string): void {
  console.log(name)
  const raw = median(`${name} raw`)
  for (const { name: server } of offering(name)) {
    const { rps, cpuMicros } = median(`${name} ${server}`)
    const ratio = `${(rps / raw.rps).toFixed(2)} × raw, CPU ${(raw.cpuMicros / cpuMicros).toFixed(2)} ×`
    console.log(
      `  ${server.padEnd(8)} ${rps.toFixed(0).padStart(6)} /s  ${cpuMicros.toFixed(1).padStart(7)} µs CPU  ${ratio}`,
    )
  }
}

/** Returns the time from the start of the process to its first response. */
async function measureStarts(): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < STARTS; round++) {
    for (const name of SERVERS) {
      const started = performance.now()
      const server = await start(name)
      await runLoad({ port: server.port, request: toRequest('post', name), connections: 1, ms: 0 })
      times[name] = [...(times[name] ?? []), performance.now() - started]
      server.child.kill('SIGKILL')
      await once(server.child, 'exit')
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, middle(all)]))
}

function start(name: string): Promise<ServerProcess> {
  return startServer({ name, file: serverFile('http', name) })
}

async function measure(name: string, server: ServerProcess, round: number): Promise<void> {
  const { connections, status } = caseOf(name)
  const request = toRequest(name, server.name)
  const before = await costOf(server)
  const result = await runLoad({ port: server.port, request, connections, ms: round === 0 ? MS / 2 : MS })
  const after = await costOf(server)
  const wrong = [...result.statuses.keys()].filter((one) => one !== status)
  if (wrong.length > 0) throw new Error(`${server.name} answered ${name} with ${wrong.join(', ')}`)
  if (round === 0) return // warms up the just-in-time compiler
  const key = `${name} ${server.name}`
  samples.set(key, [
    ...(samples.get(key) ?? []),
    { rps: result.requests / result.seconds, cpuMicros: cpuBetween(before, after) / result.requests },
  ])
}

function toRequest(name: string, server: string): Buffer {
  const { path, body } = caseOf(name)
  // oRPC has its own envelope.
  const text = JSON.stringify(server === 'orpc' ? { json: body } : body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

function caseOf(name: string): Case {
  const found = CASES[name]
  if (found === undefined) throw new Error(`unknown case ${name}, use one of: ${Object.keys(CASES).join(', ')}`)
  return found
}

function median(key: string): Sample {
  const all = samples.get(key) ?? []
  return { rps: middle(all.map(({ rps }) => rps)), cpuMicros: middle(all.map(({ cpuMicros }) => cpuMicros)) }
}
