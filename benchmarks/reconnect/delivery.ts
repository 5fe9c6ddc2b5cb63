import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, type Cell } from './cell.ts'
import type { Library, LibraryClient } from './library.ts'
import { startProxy } from './proxy.ts'
import { startServer } from './server.ts'

const KILLS = 5
const PER_KILL = 200
const PER_SECOND = 250
/** The delay in each direction, in ms. Without it, almost no message is in flight when the server is killed. */
const DELAY_MS = 20

/** Sends messages while the server is killed and restarted five times, and checks which ones arrived. */
export async function measureDelivery(library: Library): Promise<Cell> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-reconnect-'))
  const file = join(folder, 'received')
  await writeFile(file, '')
  let server = await startServer(library.server, { file })
  const proxy = await startProxy({ port: server.port, delayMs: DELAY_MS })
  const client = library.open({ port: proxy.port })
  let refused = 0
  try {
    await isUp(client, 0)
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(1000) // Socket.IO upgrades to a WebSocket
      const sent = client.send({ first: 1 + kill * PER_KILL, count: PER_KILL, perSecond: PER_SECOND })
      await pause((PER_KILL / 2 / PER_SECOND) * 1000)
      const killed = Date.now()
      await server.kill()
      refused += await sent // the rest is sent while the server is down
      server = await startServer(library.server, { port: server.port, file })
      await isUp(client, killed)
      await isQuiet(file)
    }
    return judge((await readFile(file, 'utf8')).trim().split('\n'), refused)
  } finally {
    client.close()
    await server.kill()
    proxy.close()
    await rm(folder, { recursive: true })
  }
}

async function isUp(client: LibraryClient, since: number): Promise<void> {
  if ((await client.next('up', { since, withinMs: Date.now() - since + 40_000 })) === null)
    throw new Error('a client did not reconnect within 40 s')
}

/** Resolves when no more messages arrive. */
async function isQuiet(file: string): Promise<void> {
  for (let size = -1, next = 0; size !== next;) {
    size = next
    await pause(1000)
    next = (await stat(file)).size
  }
}

/** Evaluates the lines that a server wrote: the number of a message, and its id if the library has one. */
function judge(lines: readonly string[], refused: number): Cell {
  const received = lines.map((line) => Number.parseInt(line, 10))
  const firsts = [...new Set(received)]
  const lost = KILLS * PER_KILL - firsts.length
  let highest = 0
  let reordered = 0
  for (const one of firsts) {
    if (one < highest) reordered++
    highest = Math.max(highest, one)
  }
  const repeated = received.length - firsts.length
  // A repeated message with the same id can be detected and skipped.
  const told = lines.length - new Set(lines).size
  const notes = [
    ...(repeated > 0 && lines[0]?.includes(' ') ? [`${told} of them with the same id`] : []),
    ...(refused > 0 ? [`${refused} not taken`] : []),
  ]
  return {
    text: `${lost} / ${reordered} / ${repeated}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
    isMet: lost === 0 && reordered === 0,
  }
}
