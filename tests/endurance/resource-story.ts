import { setTimeout as later } from 'node:timers/promises'
import type { NodeProcess } from '@sdk/test-kit'
import { createRandom } from './random.ts'
import { errorsOf, type JsonResponse, send, startServer, startWithin, walk } from './resource-client.ts'
import type { Item } from './resource-server.ts'

/**
 * The results of all writes to a server that is killed repeatedly. A row is identified by its priority, which is
 * unique.
 */
export interface Story {
  /** The acknowledged rows, as the server returned them. */
  readonly acknowledged: Map<number, Item>
  /** Writes with a key that have no response yet. */
  readonly cut: Set<number>
  /** Writes with a key that were sent more than once. */
  readonly repeated: Set<number>
  /** Writes without a key and without a response: they may or may not have been executed. */
  readonly unknown: Set<number>
  /** Rows whose deletion was acknowledged. */
  readonly removed: Set<number>
  /** Rows whose change or deletion was interrupted: they have either the old or the new state. */
  readonly undecided: Set<number>
  /** Rows whose change was acknowledged. */
  readonly changed: Set<number>
  /** Unexpected responses, and errors in the log. */
  readonly wrong: string[]
  /** The rows at the end. */
  rows: Item[]
  lives: number
  /** Processes that were killed with pending writes that have a key. */
  interrupted: number
}

/** An empty story. */
export function createStory(): Story {
  return {
    acknowledged: new Map(),
    cut: new Set(),
    repeated: new Set(),
    unknown: new Set(),
    removed: new Set(),
    undecided: new Set(),
    changed: new Set(),
    wrong: [],
    rows: [],
    lives: 0,
    interrupted: 0,
  }
}

/** The number of concurrent writers. */
const WRITERS = 8
const PATH = '/api/v1/items'

/** A story and the store of its rows. */
export interface StoryRun {
  readonly story: Story
  readonly url: string
}

/**
 * Starts a process with a server on each database repeatedly, kills it each time while clients write, and reads all
 * rows at the end.
 */
export async function runStories(all: readonly StoryRun[], kills: number): Promise<void> {
  const random = createRandom(20_260)
  // The next process starts meanwhile; its data in memory is not used.
  let next = startServer('memory')
  try {
    for (let life = 0; life <= kills; life++) {
      const server = await next
      const isLast = life === kills
      if (!isLast) next = startServer('memory')
      const writers = await Promise.all(all.map(({ story, url }) => revive(story, server, url)))
      if (isLast) await Promise.all(writers.map(({ story, base }) => conclude(story, base)))
      // The servers take turns in deciding when.
      else await writeUntilKilled(writers, server, { by: life % all.length, count: 10 + random.below(50) })
      for (const { story } of all) story.wrong.push(...errorsOf(server))
    }
  } finally {
    await (await next).kill()
  }
}

/** A server that clients write to. */
interface Written {
  readonly story: Story
  readonly base: string
}

/** Opens the database again, and resends interrupted writes. */
async function revive(story: Story, server: NodeProcess, url: string): Promise<Written> {
  const base = await startWithin(server, { url })
  story.lives++
  await repeat(story, base)
  return { story, base }
}

async function conclude(story: Story, base: string): Promise<void> {
  await replaySome(story, base)
  story.rows = (await walk<Item>(base, `${PATH}?limit=100`, (row) => row)).forward
}

/** The content of a write; the same number has the same content. */
export function contentOf(n: number): Partial<Item> {
  return {
    title: `Nr. ${n} – “ÿ” 🧵`.padEnd(40 + (n % 200), '.'),
    priority: n,
    isDone: n % 3 === 0,
    data: { n, list: [n, [String(n)]], text: '\u2028\\"'.repeat(n % 300) },
  }
}

/** Every second write has a key. */
function isKeyed(n: number): boolean {
  return n % 2 === 0
}

function write(base: string, n: number): Promise<JsonResponse<Item>> {
  return send<Item>(base, `POST ${PATH}`, {
    body: contentOf(n),
    ...(isKeyed(n) && { headers: { 'idempotency-key': `write-${n}` } }),
  })
}

/** Writes to all servers, and kills the process when one of them has acknowledged a number of writes. */
async function writeUntilKilled(
  all: readonly Written[],
  server: NodeProcess,
  { by, count }: { by: number; count: number },
): Promise<void> {
  const writers = all.flatMap(({ story, base }, at) => {
    let acknowledged = 0
    let next = story.lives * 10_000
    const writer = async (): Promise<void> => {
      while (!server.hasEnded()) {
        const n = next++
        // No response, since the server was killed.
        const response = await write(base, n).catch(() => null)
        if (response === null) return void (isKeyed(n) ? story.cut : story.unknown).add(n)
        record(story, n, response)
        if (++acknowledged === count && at === by) void server.kill()
        if (!(await goOn(story, base, { n, id: response.body.id }))) return
      }
    }
    return Array.from({ length: WRITERS }, writer)
  })
  await Promise.all(writers)
  await server.exited
}

/** Returns the title after a change. */
export function changedTitle(n: number): string {
  return `changed ${n}`
}

/** Changes some rows, and deletes some. Returns false if the server was killed meanwhile. */
async function goOn(story: Story, base: string, { n, id }: { n: number; id: number }): Promise<boolean> {
  const isChange = n % 10 === 1
  if (!isChange && n % 10 !== 5) return true
  const row = `${PATH}/${id}`
  const sent = isChange
    ? send<Item>(base, `PATCH ${row}`, { body: { title: changedTitle(n) } })
    : send<Item>(base, `DELETE ${row}`)
  const response = await sent.catch(() => null)
  const before = story.acknowledged.get(n)
  story.acknowledged.delete(n)
  if (response === null) {
    story.undecided.add(n)
    return false
  }
  if (response.status !== 200 || before?.id !== response.body.id)
    story.wrong.push(`${n}, ${isChange ? 'changed' : 'removed'}: ${response.status} ${JSON.stringify(response.body)}`)
  else if (isChange) story.acknowledged.set(n, response.body)
  ;(isChange ? story.changed : story.removed).add(n)
  return true
}

/** Resends interrupted writes with the same key until they are acknowledged. */
async function repeat(story: Story, base: string): Promise<void> {
  if (story.cut.size > 0) story.interrupted++
  const until = performance.now() + 5_000
  const again = [...story.cut].map(async (n) => {
    story.repeated.add(n)
    let response = await write(base, n)
    // The connection of the killed server may still be active in the database: then the key is in use for a moment.
    while (response.status === 409 && response.headers['retry-after'] !== undefined && performance.now() < until) {
      await later(50)
      response = await write(base, n)
    }
    record(story, n, response)
  })
  await Promise.all(again)
  story.cut.clear()
}

/** Resends some acknowledged writes of earlier processes. The response must be the same. */
async function replaySome(story: Story, base: string): Promise<void> {
  const keyed = [...story.acknowledged.keys()].filter(isKeyed)
  for (const n of keyed.filter((_, at) => at % 10 === 0)) {
    const response = await write(base, n)
    const isSame = response.body.id === story.acknowledged.get(n)?.id
    if (!isSame || response.headers['idempotent-replayed'] !== 'true')
      story.wrong.push(`${n}, sent again: ${response.status} ${JSON.stringify(response.body)}`)
    story.repeated.add(n)
  }
}

function record(story: Story, n: number, { status, body }: JsonResponse<Item>): void {
  if (status === 201) story.acknowledged.set(n, body)
  else story.wrong.push(`${n}: ${status} ${JSON.stringify(body)}`)
}
