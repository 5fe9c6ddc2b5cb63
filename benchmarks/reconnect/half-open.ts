import { pause, range, type Cell } from './cell.ts'
import type { Library, LibraryClient } from './library.ts'
import { startProxy } from './proxy.ts'
import { startServer } from './server.ts'

const CLIENTS = 3
const WATCH_MS = 60_000

/** Stops the network to the server without a close: how long until the client notices? */
export async function measureHalfOpen(
  library: Library,
  { perSecond, goalMs }: { perSecond: number; goalMs: number },
): Promise<Cell> {
  const server = await startServer(library.server)
  const proxy = await startProxy({ port: server.port })
  const clients = Array.from({ length: CLIENTS }, () => library.open({ port: proxy.port }))
  try {
    await Promise.all(clients.map(isUp))
    if (perSecond > 0) for (const client of clients) void sendOn(client, perSecond)
    await pause(1000) // Socket.IO upgrades to a WebSocket
    const frozen = await proxy.freeze()
    const noticed = await Promise.all(
      clients.map(async (client) => {
        const down = await client.next('down', { since: frozen, withinMs: WATCH_MS })
        return down === null ? Number.POSITIVE_INFINITY : down.at - frozen
      }),
    )
    const text = noticed.includes(Number.POSITIVE_INFINITY) ? `never (${WATCH_MS / 1000} s)` : range(noticed)
    return { text, isMet: Math.max(...noticed) <= goalMs }
  } finally {
    for (const client of clients) client.close()
    await server.kill()
    proxy.close()
  }
}

async function isUp(client: LibraryClient): Promise<void> {
  if ((await client.next('up', { since: 0, withinMs: Date.now() + 20_000 })) === null)
    throw new Error('a client did not connect within 20 s')
}

async function sendOn(client: LibraryClient, perSecond: number): Promise<void> {
  await client.send({ first: 1, count: (perSecond * WATCH_MS) / 1000, perSecond })
}
