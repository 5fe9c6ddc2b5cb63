import { pause, type Cell } from './cell.ts'
import type { Library } from './library.ts'
import { startServer } from './server.ts'

const CLIENTS = 200
const SPAN_MS = 100
const WATCH_MS = 12_000

/** Kills the server of all clients and restarts it immediately: how many of them reconnect within the same 100 ms? */
export async function measureHerd(library: Library): Promise<Cell> {
  const first = await startServer(library.server)
  const clients = Array.from({ length: CLIENTS }, () => library.open({ port: first.port }))
  const opened = await Promise.all(
    clients.map((client) => client.next('up', { since: 0, withinMs: Date.now() + 30_000 })),
  )
  if (opened.includes(null)) throw new Error(`not all clients of ${library.name} connected within 30 s`)
  await pause(2000) // Socket.IO upgrades to a WebSocket
  const killed = Date.now()
  await first.kill()
  const second = await startServer(library.server, { port: first.port })
  await pause(killed + WATCH_MS - Date.now())

  const attempts = clients
    .flatMap(({ sightings }) => sightings)
    .flatMap(({ kind, at }) => (kind === 'attempt' && at >= killed ? [at] : []))
  const back = clients.filter(({ sightings }) => sightings.some(({ kind, at }) => kind === 'up' && at >= killed))
  for (const client of clients) client.close()
  await second.kill()
  const share = mostWithin(attempts, SPAN_MS) / CLIENTS
  const missing = CLIENTS - back.length
  return {
    text: `${(share * 100).toFixed(0)} %${missing === 0 ? '' : `; ${missing} not back in ${WATCH_MS / 1000} s`}`,
    isMet: share <= 0.25 && missing === 0,
  }
}

/** Returns the maximum number of times within any interval of this length. */
function mostWithin(moments: readonly number[], spanMs: number): number {
  const sorted = moments.toSorted((a, b) => a - b)
  let first = 0
  let most = 0
  for (const [last, moment] of sorted.entries()) {
    while (moment - (sorted[first] ?? moment) >= spanMs) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}
