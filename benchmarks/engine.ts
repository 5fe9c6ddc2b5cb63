/** Measures the latency and throughput of messages from one process to the last listener in another. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { startPostgres, startRedis } from '@sdk/test-kit'
import { middle } from './harness/middle.ts'

const KINDS = (process.env['BENCH_ENGINES'] ?? 'memory,postgres,redis,socketio').split(',')
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const FLOOD = Number(process.env['BENCH_MESSAGES'] ?? 40_000)
/** The number of concurrent messages. */
const AT_ONCE = 1_000
const PACED = { count: 400, perSecond: 200 }

/** The result of one task. */
interface Outcome {
  readonly count: number
  readonly heard: number
  readonly gaps: number
  readonly micros: number
  readonly took: readonly [p50: number, p95: number]
}

interface Sides {
  readonly publisher: ChildProcess
  readonly subscriber: ChildProcess
}

const [postgres, redis] = [await startPostgres(), await startRedis()]
const all = new Map<string, Sides>()
const figures = new Map<string, { p50: number[]; p95: number[]; perSecond: number[]; gaps: number }>()
try {
  for (const kind of KINDS) {
    all.set(kind, await openSides(kind))
    figures.set(kind, { p50: [], p95: [], perSecond: [], gaps: 0 })
  }
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) for (const kind of KINDS) await measure(kind, round > 0)
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds, medians; load ${load}`,
  )
  console.table(Object.fromEntries([...figures].map(([kind, figure]) => [kind, toRow(figure)])))
} finally {
  for (const { publisher, subscriber } of all.values()) for (const side of [publisher, subscriber]) side.kill('SIGKILL')
  await Promise.all([postgres.stop(), redis.stop()])
}

async function openSides(kind: string): Promise<Sides> {
  const url = kind === 'postgres' ? postgres.url : redis.url
  // With the memory engine, both sides are in one process.
  if (kind === 'memory') {
    const both = await openSide([kind, 'both', url])
    return { publisher: both, subscriber: both }
  }
  const subscriber = await openSide([kind, 'subscribe', url])
  return { subscriber, publisher: await openSide([kind, 'publish', url]) }
}

async function openSide(args: string[]): Promise<ChildProcess> {
  const env = { ...process.env, NODE_ENV: 'production' }
  const side = fork(join(import.meta.dirname, 'engine/side.mjs'), args, { execArgv: [], env })
  const ended = once(side, 'exit').then(() => {
    throw new Error(`${args[0]} exited before it was ready`)
  })
  await Promise.race([once(side, 'message'), ended])
  ended.catch(() => {}) // from here on, an exit is expected
  return side
}

async function measure(kind: string, counts: boolean): Promise<void> {
  const paced = await run(kind, PACED)
  const flood = await run(kind, { count: FLOOD, atOnce: AT_ONCE })
  const figure = figures.get(kind)
  if (figure === undefined || !counts) return
  figure.p50.push(paced.took[0])
  figure.p95.push(paced.took[1])
  figure.perSecond.push((flood.heard / flood.micros) * 1e6)
  figure.gaps += paced.gaps + flood.gaps
}

async function run(kind: string, task: object): Promise<Outcome> {
  const sides = all.get(kind)
  if (sides === undefined) throw new Error(`${kind} is not open`)
  const heard = once(sides.subscriber, 'message', { signal: AbortSignal.timeout(60_000) })
  sides.publisher.send(task)
  return ((await heard) as [Outcome])[0]
}

function toRow({ p50, p95, perSecond, gaps }: { p50: number[]; p95: number[]; perSecond: number[]; gaps: number }) {
  const ms = (micros: number): string => (micros / 1000).toFixed(2)
  return { 'p50, ms': ms(middle(p50)), 'p95, ms': ms(middle(p95)), 'messages/s': Math.round(middle(perSecond)), gaps }
}
