import { setTimeout as later } from 'node:timers/promises'
import type { NodeProcess } from '@sdk/test-kit'
import { createRandom } from './random.ts'
import { type Answer, errorsOf, send, startServer, startWithin, walk } from './resource-client.ts'
import type { Item } from './resource-server.ts'

/** What came of all writes to a server that is killed again and again. A row is known by its priority: no two share one. */
export interface Story {
  /** The rows that were acknowledged, as the server told them. */
  readonly acknowledged: Map<number, Item>
  /** Writes with a key whose answer has not come yet. */
  readonly cut: Set<number>
  /** Writes with a key that were sent more than once. */
  readonly repeated: Set<number>
  /** Writes without a key whose answer never came: they may have been done, or not. */
  readonly unknown: Set<number>
  /** Rows whose removal was acknowledged. */
  readonly removed: Set<number>
  /** Rows whose change or removal was cut off: they are as they were, or as they should be. */
  readonly undecided: Set<number>
  /** Rows whose change was acknowledged. */
  readonly changed: Set<number>
  /** Answers that should not be, and errors in the log. */
  readonly wrong: string[]
  /** The rows in the end. */
  rows: Item[]
  lives: number
  /** Lives that ended with writes with a key in flight. */
  interrupted: number
}

/** A story that has not begun. */
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

/** So many write at the same time. */
const WRITERS = 8
const PATH = '/api/v1/items'

/** A story and where its rows are kept. */
export interface Told {
  readonly story: Story
  readonly url: string
}

/**
 * Starts a process again and again that has a server on each database, each time kills it while they write, and in
 * the end reads all rows.
 */
export async function tell(all: readonly Told[], kills: number): Promise<void> {
  const random = createRandom(20_260)
  // The next process is got ready meanwhile; what it keeps in memory nobody asks for.
  let next = startServer('memory')
  try {
    for (let life = 0; life <= kills; life++) {
      const server = await next
      const isLast = life === kills
      if (!isLast) next = startServer('memory')
      const writers = await Promise.all(all.map(({ story, url }) => revive(story, server, url)))
      if (isLast) await Promise.all(writers.map(({ story, base }) => conclude(story, base)))
      // In turn one of them decides when.
      else await writeUntilKilled(writers, server, { by: life % all.length, count: 10 + random.below(50) })
      for (const { story } of all) story.wrong.push(...errorsOf(server))
    }
  } finally {
    await (await next).kill()
  }
}

/** A server that is written to. */
interface Written {
  readonly story: Story
  readonly base: string
}

/** Opens the database again, and sends again what had been cut off. */
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

/** What is written; the same number is the same content. */
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

function write(base: string, n: number): Promise<Answer<Item>> {
  return send<Item>(base, `POST ${PATH}`, {
    body: contentOf(n),
    ...(isKeyed(n) && { headers: { 'idempotency-key': `write-${n}` } }),
  })
}

/** Writes to all, and kills the server as soon as one of them has acknowledged so many. */
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
        // There is no answer when the server is dead.
        const answer = await write(base, n).catch(() => null)
        if (answer === null) return void (isKeyed(n) ? story.cut : story.unknown).add(n)
        record(story, n, answer)
        if (++acknowledged === count && at === by) void server.kill()
        if (!(await goOn(story, base, { n, id: answer.body.id }))) return
      }
    }
    return Array.from({ length: WRITERS }, writer)
  })
  await Promise.all(writers)
  await server.exited
}

/** What a change makes of a title. */
export function changedTitle(n: number): string {
  return `changed ${n}`
}

/** Changes some rows, and removes some; false: the server died over it. */
async function goOn(story: Story, base: string, { n, id }: { n: number; id: number }): Promise<boolean> {
  const isChange = n % 10 === 1
  if (!isChange && n % 10 !== 5) return true
  const row = `${PATH}/${id}`
  const asked = isChange
    ? send<Item>(base, `PATCH ${row}`, { body: { title: changedTitle(n) } })
    : send<Item>(base, `DELETE ${row}`)
  const answer = await asked.catch(() => null)
  const before = story.acknowledged.get(n)
  story.acknowledged.delete(n)
  if (answer === null) {
    story.undecided.add(n)
    return false
  }
  if (answer.status !== 200 || before?.id !== answer.body.id)
    story.wrong.push(`${n}, ${isChange ? 'changed' : 'removed'}: ${answer.status} ${JSON.stringify(answer.body)}`)
  else if (isChange) story.acknowledged.set(n, answer.body)
  ;(isChange ? story.changed : story.removed).add(n)
  return true
}

/** Sends again what was cut off, with the same key, until it is acknowledged. */
async function repeat(story: Story, base: string): Promise<void> {
  if (story.cut.size > 0) story.interrupted++
  const until = performance.now() + 5_000
  const again = [...story.cut].map(async (n) => {
    story.repeated.add(n)
    let answer = await write(base, n)
    // The connection of the killed server may still be at work in the database: then the key is in use for a moment.
    while (answer.status === 409 && answer.headers['retry-after'] !== undefined && performance.now() < until) {
      await later(50)
      answer = await write(base, n)
    }
    record(story, n, answer)
  })
  await Promise.all(again)
  story.cut.clear()
}

/** Sends again some writes with keys that were acknowledged in lives before. The answer must be the same. */
async function replaySome(story: Story, base: string): Promise<void> {
  const keyed = [...story.acknowledged.keys()].filter(isKeyed)
  for (const n of keyed.filter((_, at) => at % 10 === 0)) {
    const answer = await write(base, n)
    const isSame = answer.body.id === story.acknowledged.get(n)?.id
    if (!isSame || answer.headers['idempotent-replayed'] !== 'true')
      story.wrong.push(`${n}, sent again: ${answer.status} ${JSON.stringify(answer.body)}`)
    story.repeated.add(n)
  }
}

function record(story: Story, n: number, { status, body }: Answer<Item>): void {
  if (status === 201) story.acknowledged.set(n, body)
  else story.wrong.push(`${n}: ${status} ${JSON.stringify(body)}`)
}
