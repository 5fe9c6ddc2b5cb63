import { once } from 'node:events'
import { costOf, cpuBetween, settledCostOf, type ServerProcess } from '../harness/server-process.ts'
import { openCrowd } from './crowd.ts'
import { dialectOf } from './talk.ts'

/** The cost of idle connections. */
export interface IdleSample {
  /** Growth of the resident set per connection, in kB of 1,000 bytes. */
  readonly kilobytes: number
  /** CPU of the server for all connections, as a fraction of a core. */
  readonly share: number
}

/** Options for `idle`. */
export interface IdleOptions {
  readonly connections: number
  /** The duration of the CPU measurement. */
  readonly ms: number
}

const SETTLE_MS = 1000
const WARM_UP = 200

/** Connects to a new server, stays idle, and stops the server. */
export async function idle(server: ServerProcess, { connections, ms }: IdleOptions): Promise<IdleSample> {
  const target = { port: server.port, dialect: dialectOf(server), onMessage() {} }
  // The modules that the first connections load and compile are not charged to the others.
  const first = await openCrowd({ ...target, size: WARM_UP })
  first.close()
  const before = await settled(server)
  const crowd = await openCrowd({ ...target, size: connections })
  const after = await settled(server)
  const started = performance.now()
  const from = await costOf(server)
  await sleep(ms)
  const used = cpuBetween(from, await costOf(server)) / 1000
  const seen = performance.now() - started
  crowd.close()
  server.child.kill('SIGKILL')
  await once(server.child, 'exit')
  return { kilobytes: (after.rss - before.rss) / connections / 1000, share: used / seen }
}

async function settled(server: ServerProcess): Promise<Awaited<ReturnType<typeof costOf>>> {
  await sleep(SETTLE_MS)
  return settledCostOf(server)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
