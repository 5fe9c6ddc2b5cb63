import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createDatabase, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { changedTitle, contentOf, createStory, runStories, type Story } from './resource-story.ts'
import type { Item } from './resource-server.ts'

const KILLS = choose(20, 2)
/** The timeout in ms; each life takes a second or two, and much longer on a busy machine. */
const TIMEOUT = 300_000
const KINDS = ['pglite', 'postgres'] as const

const folder = temporaryFolder('resource-kill')
const stories = { pglite: createStory(), postgres: createStory() }

beforeAll(async () => {
  const urls = { pglite: `pglite://${join(folder.path, 'data')}`, postgres: await createDatabase() }
  await runStories(
    KINDS.map((kind) => ({ story: stories[kind], url: urls[kind] })),
    KILLS,
  )
}, TIMEOUT)
afterAll(() => folder.remove())

describe.each(KINDS)(`a server that is killed ${KILLS} times during writes: %s`, (kind) => {
  const story: Story = stories[kind]

  it('has pending writes when it is killed', () => {
    expect(story.lives).toBe(KILLS + 1)
    expect(story.interrupted).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.repeated.size).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.unknown.size).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.changed.size).toBeGreaterThan(KILLS)
    expect(story.removed.size).toBeGreaterThan(KILLS)
  })

  it('restarts each time and acknowledges all writes', () => {
    expect(story.wrong).toEqual([])
  })

  it('keeps every acknowledged row unchanged', () => {
    const rows = new Map(story.rows.map((row) => [row.id, row]))
    const lost = [...story.acknowledged.values()].filter((row) => !isDeepStrictEqual(rows.get(row.id), row))
    expect(lost).toEqual([])
    expect(story.acknowledged.size).toBeGreaterThan(KILLS * 10)
  })

  it('has no row whose deletion it acknowledged', () => {
    expect(story.rows.filter(({ priority }) => story.removed.has(priority))).toEqual([])
  })

  it('has one row for each repeated write with a key', () => {
    const numbers = story.rows.map(({ priority }) => priority)
    const counts = [...story.repeated].map((n) => numbers.filter((other) => other === n).length)
    expect(counts).toEqual(counts.map(() => 1))
  })

  it('has no duplicate, unknown or partial rows', () => {
    const numbers = story.rows.map(({ priority }) => priority)
    expect(new Set(numbers).size).toBe(numbers.length)
    const known = [story.acknowledged, story.unknown, story.undecided]
    expect(numbers.filter((n) => !known.some((some) => some.has(n)))).toEqual([])
    expect(story.rows.filter((row) => !isWhole(row, story))).toEqual([])
  })
})

/** Returns whether a row has all written values, from before or after its change. */
function isWhole(row: Item, { changed, undecided }: Story): boolean {
  const n = row.priority
  const first = { ...row, ...contentOf(n) }
  if (isDeepStrictEqual(row, { ...first, title: changedTitle(n) })) return changed.has(n) || undecided.has(n)
  return isDeepStrictEqual(row, first) && !changed.has(n)
}
