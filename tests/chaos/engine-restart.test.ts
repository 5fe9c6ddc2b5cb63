import { type Channel, createChannel } from '@sdk/frontend'
import { createApp, createRouter, createSocket, type Engine, type Log, serve, type Server } from '@sdk/server'
import type { Service } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { DRIVERS } from '../contract/drivers.ts'
import { later } from './cluster/talking.ts'
import { addRow, choose } from './mode.ts'

const CLIENTS = choose(1_000, 40)
const ROOMS = 20
const AWAY_MS = choose(10_000, 1_000)

/** A request as a client makes it, each time under another key. */
const REQUESTS: Readonly<Record<string, () => RequestInit>> = {
  '/api/hello': () => ({}),
  '/api/visits': () => ({}),
  '/api/orders': () => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: '{"item":"tea"}',
  }),
}

describe.each(DRIVERS)('the server of the $name is killed under load, and started again', (driver) => {
  it('what needs it is 503, what does not is served, sockets stay, and the log says so in a few lines', async () => {
    const engineServer = await driver.start()
    const lines = new Map<string, number>()
    const log = counting(lines)
    const server = await serve(toApp(driver.open(engineServer.url, { log }), log), { port: 0 })
    const crowd = await gather(server)
    const talking = keepTalking(crowd)
    try {
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 200, '/api/orders': 200 })
      await engineServer.kill()
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 503, '/api/orders': 503 })
      await later(AWAY_MS)
      await startAgain(engineServer, server)
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 200, '/api/orders': 200 })
      talking.stop()
      await untilHandled(crowd)
      expect(crowd.filter(({ wasAway }) => wasAway()).length).toBe(0)
      addRow({ name: `restart of the server of the ${driver.name}`, messages: talking.said(), lines: sum(lines) })
      // Four for each that fails: it is said again after ten seconds.
      expect([...lines].filter(([, count]) => count > choose(16, 4))).toEqual([])
      expect(lines.size).toBeGreaterThan(1)
    } finally {
      talking.stop()
      for (const { close } of crowd) close()
      await server.close()
      await engineServer.stop()
    }
  })
})

function toApp(engine: Engine, log: Log) {
  const talk = createSocket({
    receive: z.object({ n: z.int() }),
    open: (peer) => peer.join(peer.query['room'] ?? '', { presence: 'here', onPresence: () => {} }),
    message: (peer, message) => peer.publish(peer.query['room'] ?? '', message),
  })
  return createApp({
    log,
    engine,
    router: createRouter()
      .on('GET /api/hello', () => 'hello')
      .on('GET /api/visits', (ctx) => ctx.kv.increment('visits', 'all'))
      .on('POST /api/orders', { input: z.object({ item: z.string() }), handler: (_ctx, { item }) => item })
      .socket('/ws/talk', talk),
    rateLimit: { default: { quota: 1_000_000, window: 60 } },
    limits: { socket: { rate: false, perAddress: 100_000 } },
  })
}

/** Counts lines by their message, but for those of requests, of which each may have its own. */
function counting(lines: Map<string, number>): Log {
  const add = (message: string): void => {
    if (!/^(GET|POST) /.test(message)) lines.set(message, (lines.get(message) ?? 0) + 1)
  }
  return { debug: () => {}, info: add, warn: add, error: add }
}

async function statuses({ url }: Server): Promise<Record<string, number>> {
  const asked = Object.entries(REQUESTS).map(async ([path, init]) => {
    const { status } = await fetch(`${url}${path}`, init())
    return [path, status] as const
  })
  return Object.fromEntries(await Promise.all(asked))
}

/** Settles when the process says that it is ready again. */
async function startAgain(engineServer: Service, { url }: Server): Promise<void> {
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  await engineServer.start()
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(200)
}

interface Talker extends Channel {
  /** Was it ever without a connection? */
  wasAway(): boolean
}

async function gather({ url }: Server): Promise<Talker[]> {
  const crowd = Array.from({ length: CLIENTS }, (_, index) => {
    const address = `${url.replace('http', 'ws')}/ws/talk?room=${index % ROOMS}`
    const channel = createChannel({ url: address, WebSocket })
    let wasOpen = false
    let wasAway = false
    channel.state.subscribe(() => {
      const isOpen = channel.state.get().status === 'open'
      wasAway ||= wasOpen && !isOpen
      wasOpen ||= isOpen
    })
    return { ...channel, wasAway: () => wasAway }
  })
  // What is handled comes after all are in their rooms: an engine that is away lets nobody in.
  for (const { send } of crowd) send({ n: 0 })
  await untilHandled(crowd)
  return crowd
}

async function untilHandled(crowd: readonly Channel[]): Promise<void> {
  const waiting = (): number => crowd.reduce((total, { state }) => total + state.get().pending, 0)
  await expect.poll(waiting, { timeout: 60_000 }).toBe(0)
}

/** Each in its turn, a hundred a second. */
function keepTalking(crowd: readonly Channel[]): { stop(): void; said(): number } {
  let n = 0
  const timer = setInterval(() => {
    n += 1
    crowd[n % crowd.length]?.send({ n })
  }, 10)
  return { stop: () => clearInterval(timer), said: () => n }
}

function sum(lines: ReadonlyMap<string, number>): number {
  return [...lines.values()].reduce((total, count) => total + count, 0)
}
