import { once } from 'node:events'
import { costOf, cpuBetween, settledCostOf, type ServerProcess } from '../harness/server-process.ts'
import { openCrowd } from './crowd.ts'
import { dialectOf } from './talk.ts'

/** What connections cost that say nothing. */
export interface IdleSample {
  /** Growth of the resident set by each, in kB of 1,000 bytes. */
  readonly kilobytes: number
  /** CPU of the server for all of them, in parts of a core. */
  readonly share: number
}

/** What `idle` takes. */
export interface IdleOptions {
  readonly connections: number
  /** How long the CPU is watched. */
  readonly ms: number
}

const SETTLE_MS = 1000
const WARM_UP = 200

/** Connects to a fresh server, says nothing, and ends the server. */
export async function idle(server: ServerProcess, { connections, ms }: IdleOptions): Promise<IdleSample> {
  const target = { port: server.port, dialect: dialectOf(server), onMessage() {} }
  // What the first connections load and compile is not charged to the others.
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
