import { pause, range, type Cell } from './cell.ts'
import type { Library, LibraryClient, Sighting } from './library.ts'

const FLAPPING = 20
const CLOSED = 5
/** Longer than the minimum wait after 4429, and than the delays of the libraries. */
const CLOSE_WATCH_MS = 12_000

/** Closes every connection with 4401: how often does the client reconnect, and does it give up? */
export async function measureRefused(library: Library, port: number, fault = 'refuse'): Promise<Cell> {
  const client = library.open({ port, fault })
  const tried = await attemptsWithin(client, 20_000)
  const isOver = client.sightings.some(({ kind }) => kind === 'over')
  client.close()
  return { text: `${tried}, ${isOver ? 'then stops' : 'goes on'}`, isMet: tried === 2 && isOver }
}

/** Drops every connection 50 ms after it opened. */
export async function measureFlapping(library: Library, port: number): Promise<Cell> {
  const clients = Array.from({ length: FLAPPING }, () => library.open({ port, fault: 'flap' }))
  const tried = await Promise.all(clients.map((client) => attemptsWithin(client, 30_000)))
  for (const client of clients) client.close()
  const average = tried.reduce((sum, one) => sum + one, 0) / tried.length
  const most = Math.max(...tried)
  return { text: `${average.toFixed(1)}, at most ${most}`, isMet: average <= 10 }
}

/** Closes the first connection with a code, and observes the client. */
export async function measureClose(library: Library, port: number, fault: string): Promise<Cell> {
  const clients = Array.from({ length: CLOSED }, () => library.open({ port, fault }))
  const waits = (await Promise.all(clients.map(waitAfterClose))).filter((wait) => wait !== null)
  for (const client of clients) client.close()
  if (waits.length === 0) return { text: 'stops' }
  const all = waits.length === CLOSED ? '' : ` (${waits.length} of ${CLOSED})`
  return { text: `retries after ${range(waits)}${all}` }
}

/** Counts the attempts of a client within a time, from its first attempt. */
async function attemptsWithin(client: LibraryClient, ms: number): Promise<number> {
  const { at } = await seen(client, ['attempt'])
  await pause(at + ms - Date.now())
  return client.sightings.filter(({ kind }) => kind === 'attempt').length
}

/** Returns the time from the close to the next attempt; null if there is none. */
async function waitAfterClose(client: LibraryClient): Promise<number | null> {
  const closed = await seen(client, ['down', 'over'])
  const again = await client.next('attempt', { since: closed.at, withinMs: CLOSE_WATCH_MS })
  return again === null ? null : again.at - closed.at
}

async function seen(client: LibraryClient, kinds: readonly Sighting['kind'][]): Promise<Sighting> {
  const options = { since: 0, withinMs: Date.now() + 40_000 }
  // Wait for any kind, since the others may never occur.
  const first = await Promise.race(kinds.map((kind) => client.next(kind, options)))
  if (first === null) throw new Error(`none of ${kinds.join(', ')} occurred within 40 s`)
  return first
}
