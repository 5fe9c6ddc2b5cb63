/** Measures sockets: echo, rooms and idle connections, compared with our peers, in one interleaved run. */
import { cpus } from 'node:os'
import { middle, ratioOf } from './harness/middle.ts'
import { serverFile, serversBefore } from './harness/server-file.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { idle, type IdleSample } from './sockets/idle.ts'
import { echo, fanOut, type Round, type Sample } from './sockets/talk.ts'

const ALL = 'ws,ws-shared,crossws,hono,socketio,socketio-recovery,sdk-raw,sdk'
const SERVERS = [...(process.env['BENCH_SERVERS'] ?? ALL).split(','), ...serversBefore('before-raw', 'before')]
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 1500)
/** The number of new processes of every server: the just-in-time compiler varies between them by several percent. */
const STARTS = Number(process.env['BENCH_STARTS'] ?? 1)
/** A number of messages, not a time: on a busy machine one second is not enough for the just-in-time compiler. */
const WARM_UP = Number(process.env['BENCH_WARM_UP'] ?? 50_000)
const IDLE = Number(process.env['BENCH_IDLE'] ?? 5000)
const IDLE_ROUNDS = Number(process.env['BENCH_IDLE_ROUNDS'] ?? 3)
const IDLE_MS = Number(process.env['BENCH_IDLE_MS'] ?? 30_000)

/** Our two entries are one server with two protocols. */
const FILES: Readonly<Record<string, string>> = { 'sdk-raw': 'sdk' }

type Case = (server: ServerProcess, round: Round) => Promise<Sample>

const CASES: Readonly<Record<string, Case>> = {
  echo: (server, round) => echo(server, 16, round),
  'echo, one at a time': (server, round) => echo(server, 1, round),
  '1 to 200': (server, round) => fanOut(server, 200, round),
  '1 to 1,000': (server, round) => fanOut(server, 1000, round),
}
/** The names are separated by `;`, since some contain a comma. */
const chosen = (process.env['BENCH_CASES'] ?? [...Object.keys(CASES), 'idle'].join(';')).split(';')
const unknown = chosen.filter((name) => name !== 'idle' && !(name in CASES))
if (unknown.length > 0)
  throw new Error(`unknown case ${unknown.join(', ')}, use some of: ${[...Object.keys(CASES), 'idle'].join('; ')}`)
const talks = Object.keys(CASES).filter((name) => chosen.includes(name))

pin(process.pid, CORE.load)
const samples = new Map<string, Sample[]>()
for (let count = 0; count < STARTS; count++) await measureTalk()
const idles = chosen.includes('idle') ? await measureIdle() : null

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${STARTS} × ${ROUNDS} rounds of ${MS} ms, medians; server and load on different cores\n`,
)
for (const name of talks) print(name)
if (idles !== null) printIdle(idles)
printGoals()

async function measureTalk(): Promise<void> {
  const running: ServerProcess[] = []
  for (const name of SERVERS) running.push(await start(name))
  for (let round = 0; round <= ROUNDS; round++) {
    // The order rotates: the first server of a case costs up to half more than the following ones.
    const first = round % running.length
    const servers = [...running.slice(first), ...running.slice(0, first)]
    for (const name of talks) for (const server of servers) await take(name, server, round)
  }
  for (const { child } of running) child.kill('SIGKILL')
}

async function take(name: string, server: ServerProcess, round: number): Promise<void> {
  const sample = await CASES[name]?.(server, { ms: MS, atLeast: round === 0 ? WARM_UP : 0 })
  if (round === 0 || sample === undefined) return // the first round warms up the just-in-time compiler
  const key = `${name} ${server.name}`
  samples.set(key, [...(samples.get(key) ?? []), sample])
}

async function measureIdle(): Promise<ReadonlyMap<string, readonly IdleSample[]>> {
  const found = new Map<string, IdleSample[]>()
  for (let round = 0; round < IDLE_ROUNDS; round++) {
    for (const name of SERVERS) {
      // One measurement of the CPU is enough: it takes long, and only needs to show that the value is small.
      const sample = await idle(await start(name), { connections: IDLE, ms: round === 0 ? IDLE_MS : 0 })
      found.set(name, [...(found.get(name) ?? []), sample])
    }
  }
  return found
}

function start(name: string): Promise<ServerProcess> {
  return startServer({ name, file: serverFile('sockets', FILES[name] ?? name), flags: ['--expose-gc'] })
}

function print(name: string): void {
  console.log(name)
  for (const server of SERVERS) {
    const all = samples.get(`${name} ${server}`) ?? []
    const [rate, cpu] = (['rate', 'cpu'] as const).map((key) => middle(all.map((one) => one[key])))
    const [speed, used] = [rate?.toFixed(0).padStart(7), cpu?.toFixed(2).padStart(6)]
    const least = Math.min(...all.map((one) => one.cpu)).toFixed(2)
    const ratios = `${compare(name, server, 'ws').text} ws`
    console.log(`  ${server.padEnd(17)} ${speed} /s  ${used} µs CPU (least ${least})  ${ratios}`)
  }
}

function printIdle(found: ReadonlyMap<string, readonly IdleSample[]>): void {
  console.log(`${IDLE} idle connections`)
  for (const [server, all] of found) {
    const kilobytes = kilobytesOf(all).toFixed(1).padStart(6)
    const share = ((all[0]?.share ?? Number.NaN) * 100).toFixed(2).padStart(6)
    console.log(`  ${server.padEnd(17)} ${kilobytes} kB each  ${share} % of a core for all`)
  }
}

/** Compares CPU time, on which the goals are based. */
function printGoals(): void {
  console.log('goals')
  printGoal('echo', { ours: 'sdk-raw', peer: 'ws', goal: 0.85 })
  printGoal('echo', { ours: 'sdk', peer: 'socketio', goal: 1.3 })
  for (const ours of ['sdk-raw', 'sdk']) {
    for (const peer of ['ws', 'ws-shared']) printGoal('1 to 1,000', { ours, peer, goal: 0.9 })
    const kilobytes = kilobytesOf(idles?.get(ours) ?? [])
    if (kilobytes > 0)
      console.log(`  idle, ${ours}: ${kilobytes.toFixed(1)} kB (goal 11.5) ${verdict(kilobytes <= 11.5)}`)
  }
}

function printGoal(name: string, { ours, peer, goal }: { ours: string; peer: string; goal: number }): void {
  const { cpu, text } = compare(name, ours, peer)
  if (cpu > 0) console.log(`  ${name}, ${ours}: ${text} ${peer} (goal ${goal}) ${verdict(cpu >= goal)}`)
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'NOT MET'
}

/** Returns the ratios of two servers: messages per second, and messages per CPU time, which other load affects less. */
function compare(name: string, server: string, peer: string): { cpu: number; text: string } {
  const [ours, theirs] = [samples.get(`${name} ${server}`) ?? [], samples.get(`${name} ${peer}`) ?? []]
  const ratio = (key: 'rate' | 'cpu'): number =>
    ratioOf(
      ours.map((one) => one[key]),
      theirs.map((one) => one[key]),
    )
  const cpu = 1 / ratio('cpu')
  return { cpu, text: `${ratio('rate').toFixed(2)} × (by CPU ${cpu.toFixed(2)} ×)` }
}

function kilobytesOf(all: readonly IdleSample[]): number {
  return middle(all.map(({ kilobytes }) => kilobytes))
}
