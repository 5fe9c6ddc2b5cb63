import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type Channel, createChannel } from '@sdk/frontend'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Child, startChild } from '../endurance/child.ts'
import { addRow, choose } from './mode.ts'
import { connectSlow } from './slow-client.ts'
import type { SlowReport } from './slow-server.ts'
import { until } from './sockets/clients.ts'
import { type Hearing, judgeHearing } from './sockets/judge.ts'

const SLOW = choose(1_000, 200)
/** So many of them by TCP: there the system itself takes 4 MB for each, before the server must keep anything. */
const BY_TCP = 50
const HEALTHY = 5
const PER_SECOND = 40
/** What the contract allows a slow client to cost. */
const BOUND = 2.3 * 1_048_576
const SLOW_MS = 15_000

interface Healthy {
  readonly channel: Channel
  readonly room: number[]
  readonly direct: number[]
}

const folder = temporaryFolder('slow')
let child: Child<SlowReport>
let healthy: Healthy[]
let slow: Socket[]
let before: SlowReport
let during: SlowReport
let after: SlowReport
let goneMs = 0

beforeAll(async () => {
  const path = join(folder.path, 'door')
  vi.stubEnv('SLOW_PATH', path)
  child = await startChild<SlowReport>('../chaos/slow-server.ts')
  healthy = await Promise.all(Array.from({ length: HEALTHY }, () => startHealthy(child.port)))
  before = await child.report()
  const tcp = { port: child.port, host: '127.0.0.1' }
  slow = await Promise.all(Array.from({ length: SLOW }, (_, n) => connectSlow(n < BY_TCP ? tcp : { path })))
  await expect.poll(async () => (await child.report()).connected, { timeout: 20_000 }).toBe(SLOW + HEALTHY)

  const started = performance.now()
  healthy[0]?.channel.send({ perSecond: PER_SECOND })
  during = await child.report()
  while (during.connected > HEALTHY && performance.now() - started < 120_000) {
    const { peak, ...now } = await child.report()
    during = { ...now, peak: Math.max(peak, during.peak) }
  }
  goneMs = performance.now() - started
  healthy[0]?.channel.send({ perSecond: 0 })
  await until(() => healthy[0]?.channel.state.get().pending === 0)
  after = await child.report()
  await until(() => healthy.every(({ room, direct }) => [room, direct].every((seen) => seen.at(-1) === after.last)))
  addRow({
    name: `${SLOW} slow consumers`,
    messages: after.last * 2,
    'MiB each': Number(((during.peak - before.peak) / SLOW / 1_048_576).toFixed(2)),
    'gone after s': Number((goneMs / 1000).toFixed(1)),
    lost: hearings().flatMap(({ missed }) => missed).length,
  })
})
afterAll(async () => {
  for (const { channel } of healthy ?? []) channel.close()
  for (const socket of slow ?? []) socket.destroy()
  await child?.stop()
  vi.unstubAllEnvs()
  folder.remove()
})

describe(`${SLOW} clients that never read`, () => {
  it('cost the server less than it promises', () => {
    expect(during.peak - before.peak).toBeLessThan(SLOW * BOUND)
    // Else they were not slow at all.
    expect(during.peak - before.peak).toBeGreaterThan(SLOW * 100_000)
  })

  it('are sent away, in time', () => {
    expect(after.connected).toBe(HEALTHY)
    expect(goneMs).toBeGreaterThan(SLOW_MS)
    expect(goneMs).toBeLessThan(SLOW_MS + 30_000)
  })

  it('are told why, if they care to read at last', async () => {
    const codes = await Promise.all(slow.slice(BY_TCP).map(readCloseCode))
    expect(codes.filter((code) => code !== null && code !== 4508)).toEqual([])
  })

  it('take nothing from those who read: each has everything, in order', () => {
    const clean = { heard: after.last, missed: [], untold: [], reordered: [], duplicates: [], gaps: 0, behind: 0 }
    expect(after.last).toBeGreaterThan(PER_SECOND * 10)
    expect(hearings()).toEqual(Array.from({ length: HEALTHY * 2 }, () => clean))
  })

  it('leave no error behind', () => {
    expect(after.errors).toEqual([])
  })
})

function hearings(): Hearing[] {
  return healthy.flatMap(({ room, direct }) =>
    [room, direct].map((seen) => judgeHearing({ first: 1, last: after.last }, seen)),
  )
}

async function startHealthy(port: number): Promise<Healthy> {
  const channel = createChannel({ url: `ws://127.0.0.1:${port}/ws/flood`, WebSocket })
  const [room, direct]: [number[], number[]] = [[], []]
  const joined = new Promise((resolve) => channel.onMessage(resolve))
  channel.onMessage((message) => {
    const numbers = message as { room?: number; direct?: number }
    if (numbers.room !== undefined) room.push(numbers.room)
    if (numbers.direct !== undefined) direct.push(numbers.direct)
  })
  await joined
  return { channel, room, direct }
}

/** The code in the last frame; null where the connection broke off before. */
async function readCloseCode(socket: Socket): Promise<number | null> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).once('close', () => resolve())
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
