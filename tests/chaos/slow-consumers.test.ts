import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type Channel, createChannel } from '@sdk/frontend'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Child, startChild } from '../endurance/child.ts'
import { addRow, choose, SLOW_MS } from './mode.ts'
import { connectSlow } from './slow-client.ts'
import type { SlowReport } from './slow-server.ts'
import { until } from './sockets/clients.ts'
import { type Received, type Reception, judgeReception } from './sockets/judge.ts'
import { later } from './sockets/lives.ts'

const SLOW = choose(1_000, 50)
/** The number of clients by TCP, for which the system buffers 4 MB each before the server must buffer. */
const BY_TCP = choose(50, 10)
const HEALTHY = 5
const PER_SECOND = choose(10, 40)
/** The memory that a slow client may use. */
const BOUND = 2.3 * 1_048_576
/**
 * The memory that does not depend on the number of clients: messages shared by all, the room's history, and garbage,
 * which grows on a busy machine. Without limits, 50 clients would need more than 400 MB.
 */
const SHARED = choose(0, 224 * 1_048_576)

interface Healthy {
  readonly channel: Channel
  readonly room: Received[]
  readonly direct: Received[]
  /** The last received number of connected clients. */
  connected: number
}

const folder = temporaryFolder('slow')
let child: Child<SlowReport>
let healthy: Healthy[]
const slow: Socket[] = []
let before: SlowReport
let after: SlowReport
let codes: (number | null)[]
let goneMs = 0

beforeAll(async () => {
  const path = join(folder.path, 'socket')
  vi.stubEnv('SLOW_PATH', path)
  child = await startChild<SlowReport>('../chaos/slow-server.ts')
  healthy = await Promise.all(Array.from({ length: HEALTHY }, () => startHealthy(child.port)))
  before = await child.report()
  const tcp = { port: child.port, host: '127.0.0.1' }
  // In batches, since the accept queue of a listener is limited.
  while (slow.length < SLOW) {
    const next = Array.from({ length: 10 }, () => connectSlow(slow.length < BY_TCP ? tcp : { path }))
    slow.push(...(await Promise.all(next)))
  }
  while (before.connected < SLOW + HEALTHY) before = { ...(await child.report()), peak: before.peak }

  const started = performance.now()
  healthy[0]?.channel.send({ perSecond: PER_SECOND })
  // Not by a report, which would collect the garbage.
  const connected = (): number => healthy[0]?.connected ?? 0
  // One by one, until the first are disconnected: some of the last ones then still have time to read the close code.
  const late: Socket[] = []
  for (let highest = 0; connected() >= highest; highest = Math.max(highest, connected())) {
    late.push(await connectSlow({ path }))
    await later(500)
  }
  slow.push(...late)
  codes = await Promise.all(late.map(readCloseCode))
  await until(() => connected() === HEALTHY, { withinMs: 120_000 })
  goneMs = performance.now() - started
  healthy[0]?.channel.send({ perSecond: 0 })
  await until(() => healthy[0]?.channel.state.get().pending === 0)
  after = await child.report()
  await until(() => healthy.every(({ room, direct }) => [room, direct].every((seen) => seen.at(-1) === after.last)))
  addRow({
    name: `${SLOW} slow consumers`,
    messages: after.last * 2,
    'MiB each': Number(((after.peak - before.peak) / SLOW / 1_048_576).toFixed(2)),
    'gone after s': Number((goneMs / 1000).toFixed(1)),
    lost: receptions().flatMap(({ missed }) => missed).length,
  })
})
afterAll(async () => {
  for (const { channel } of healthy ?? []) channel.close()
  for (const socket of slow) socket.destroy()
  await child?.stop()
  vi.unstubAllEnvs()
  folder.remove()
})

describe(`${SLOW} clients that never read`, () => {
  it('use less memory than the limit', () => {
    expect(after.peak - before.peak).toBeLessThan(slow.length * BOUND + SHARED)
    // Otherwise, they were not slow.
    expect(after.peak - before.peak).toBeGreaterThan(SLOW * 100_000)
  })

  it('are disconnected after the timeout', () => {
    expect(after.connected).toBe(HEALTHY)
    expect(goneMs).toBeGreaterThan(SLOW_MS)
  })

  it('receive the close code 4508 if they read in time', () => {
    expect(codes).toContain(4508)
    expect(codes.filter((code) => code !== 4508 && code !== null)).toEqual([])
  })

  it('do not affect clients that read: each receives all messages in order', () => {
    const clean = {
      received: after.last,
      missed: [],
      unreported: [],
      reordered: [],
      duplicates: [],
      gaps: 0,
      behind: 0,
    }
    expect(after.last).toBeGreaterThan(PER_SECOND * 2) // enough messages to lose some
    expect(receptions()).toEqual(Array.from({ length: HEALTHY * 2 }, () => clean))
  })

  it('cause no errors in the log', () => {
    expect(after.errors).toEqual([])
  })
})

function receptions(): Reception[] {
  return healthy.flatMap(({ room, direct }) =>
    [room, direct].map((seen) => judgeReception({ first: 1, last: after.last }, seen)),
  )
}

async function startHealthy(port: number): Promise<Healthy> {
  const channel = createChannel({ url: `ws://127.0.0.1:${port}/ws/flood`, WebSocket })
  const [room, direct]: [Received[], Received[]] = [[], []]
  const client: Healthy = { channel, room, direct, connected: 0 }
  const joined = new Promise((resolve) => channel.onMessage(resolve))
  channel.onMessage((message) => {
    const update = message as { room?: number; direct?: number; connected?: number }
    if (update.room !== undefined) room.push(update.room)
    if (update.direct !== undefined) direct.push(update.direct)
    client.connected = update.connected ?? client.connected
  })
  channel.onGap((gap) => (gap.room === null ? direct : room).push('gap'))
  await joined
  return client
}

/** Returns the code in the last frame; null if the connection broke before it, or does not end. */
async function readCloseCode(socket: Socket): Promise<number | null> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).once('close', () => resolve())
    setTimeout(() => socket.destroy(), 10_000)
    socket.resume()
  })
  const bytes = Buffer.concat(chunks)
  for (let at = 0; at + 4 <= bytes.length;) {
    const short = bytes.readUInt8(at + 1)
    const [start, length] = short === 126 ? [4, bytes.readUInt16BE(at + 2)] : [2, short]
    if (bytes.readUInt8(at) === 0x88) return bytes.readUInt16BE(at + start)
    at += start + length
  }
  return null
}
