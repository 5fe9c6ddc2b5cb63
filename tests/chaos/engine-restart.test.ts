import { type Channel, createChannel } from '@sdk/frontend'
import { createApp, createRouter, createSocket, type Engine, type Log, serve, type Server } from '@sdk/server'
import type { Service } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { DRIVERS } from '../contract/drivers.ts'
import { later } from './cluster/messages.ts'
import { addRow, choose } from './mode.ts'

const CLIENTS = choose(1_000, 40)
const ROOMS = 20
const AWAY_MS = choose(10_000, 1_000)

/** The requests of a client, each with a new key. */
const REQUESTS: Readonly<Record<string, () => RequestInit>> = {
  '/api/hello': () => ({}),
  '/api/visits': () => ({}),
  '/api/orders': () => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: '{"item":"tea"}',
  }),
}

describe.each(DRIVERS)('a server of the $name that is killed under load and restarted', (driver) => {
  it('causes 503 only where it is needed, keeps sockets open, and causes a few log lines', async () => {
    const engineServer = await driver.start()
    const lines = new Map<string, number>()
    const log = counting(lines)
    const server = await serve(toApp(driver.open(engineServer.url, { log }), log), { port: 0 })
    const clients = await openClients(server)
    const sending = keepSending(clients)
    try {
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 200, '/api/orders': 200 })
      await engineServer.kill()
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 503, '/api/orders': 503 })
      await later(AWAY_MS)
      await startAgain(engineServer, server)
      expect(await statuses(server)).toEqual({ '/api/hello': 200, '/api/visits': 200, '/api/orders': 200 })
      sending.stop()
      await untilHandled(clients)
      expect(clients.filter(({ wasAway }) => wasAway()).length).toBe(0)
      addRow({ name: `restart of the server of the ${driver.name}`, messages: sending.sent(), lines: sum(lines) })
      // Four lines for each failure, which is logged again after ten seconds.
      expect([...lines].filter(([, count]) => count > choose(16, 4))).toEqual([])
      expect(lines.size).toBeGreaterThan(1)
    } finally {
      sending.stop()
      for (const { close } of clients) close()
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

/** Counts log lines by their message, without those of requests. */
function counting(lines: Map<string, number>): Log {
  const add = (message: string): void => {
    if (!/^(GET|POST) /.test(message)) lines.set(message, (lines.get(message) ?? 0) + 1)
  }
  return { debug: () => {}, info: add, warn: add, error: add }
}

async function statuses({ url }: Server): Promise<Record<string, number>> {
  const responses = Object.entries(REQUESTS).map(async ([path, init]) => {
    const { status } = await fetch(`${url}${path}`, init())
    return [path, status] as const
  })
  return Object.fromEntries(await Promise.all(responses))
}

/** Restarts the engine server. Resolves when the process is ready again. */
async function startAgain(engineServer: Service, { url }: Server): Promise<void> {
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  await engineServer.start()
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
}

interface Client extends Channel {
  /** Returns whether it ever lost its connection. */
  wasAway(): boolean
}

async function openClients({ url }: Server): Promise<Client[]> {
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
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
  // A handled message means that all clients have joined their rooms, which requires the engine.
  for (const { send } of clients) send({ n: 0 })
  await untilHandled(clients)
  return clients
}

async function untilHandled(clients: readonly Channel[]): Promise<void> {
  const waiting = (): number => clients.reduce((total, { state }) => total + state.get().pending, 0)
  await expect.poll(waiting).toBe(0)
}

/** Sends a hundred messages per second, from each client in turn. */
function keepSending(clients: readonly Channel[]): { stop(): void; sent(): number } {
  let n = 0
  const timer = setInterval(() => {
    n += 1
    clients[n % clients.length]?.send({ n })
  }, 10)
  return { stop: () => clearInterval(timer), sent: () => n }
}

function sum(lines: ReadonlyMap<string, number>): number {
  return [...lines.values()].reduce((total, count) => total + count, 0)
}
