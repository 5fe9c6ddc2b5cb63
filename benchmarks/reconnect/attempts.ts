import { pause, range, type Cell } from './cell.ts'
import type { Library, LibraryClient } from './library.ts'

const FLAPPING = 20
const CLOSED = 5
/** Longer than the least wait after 4429, and than the delays that the libraries draw. */
const CLOSE_WATCH_MS = 14_000

/** Every connection is closed with 4401: how often does the client come, and does it give up? */
export async function measureRefused(library: Library, port: number, fault = 'refuse'): Promise<Cell> {
  const client = library.open({ port, fault })
  await pause(20_000)
  const tried = attempts(client).length
  const isOver = client.sightings.some(({ kind }) => kind === 'over')
  client.close()
  return { text: `${tried}, ${isOver ? 'then stops' : 'goes on'}`, isMet: tried === 2 && isOver }
}

/** Every connection is dropped 50 ms after it opened. */
export async function measureFlapping(library: Library, port: number): Promise<Cell> {
  const clients = Array.from({ length: FLAPPING }, () => library.open({ port, fault: 'flap' }))
  await pause(30_000)
  const tried = clients.map((client) => attempts(client).length)
  for (const client of clients) client.close()
  const average = tried.reduce((sum, one) => sum + one, 0) / tried.length
  const most = Math.max(...tried)
  return { text: `${average.toFixed(1)}, at most ${most}`, isMet: average <= 10 }
}

/** The first connection is closed with a code: what does the client do? */
export async function measureClose(library: Library, port: number, fault: string): Promise<Cell> {
  const clients = Array.from({ length: CLOSED }, () => library.open({ port, fault }))
  await pause(CLOSE_WATCH_MS)
  for (const client of clients) client.close()
  const waits = clients.flatMap(waitOf)
  if (waits.length === 0) return { text: 'stops' }
  const all = waits.length === CLOSED ? '' : ` (${waits.length} of ${CLOSED})`
  return { text: `retries after ${range(waits)}${all}` }
}

function attempts({ sightings }: LibraryClient): number[] {
  return sightings.flatMap(({ kind, at }) => (kind === 'attempt' ? [at] : []))
}

/** From the close to the next attempt; nothing where none was seen. */
function waitOf(client: LibraryClient): number[] {
  const closed = client.sightings.find(({ kind }) => kind === 'down' || kind === 'over')
  if (closed === undefined) throw new Error('a client was not closed')
  const [, second] = attempts(client)
  return second === undefined ? [] : [second - closed.at]
}
