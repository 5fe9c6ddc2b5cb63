import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createDatabase, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { changedTitle, contentOf, createStory, type Story, tell } from './resource-story.ts'
import type { Item } from './resource-server.ts'

const KILLS = choose(20, 2)
/** Each life takes a second or two, and on a busy machine many, in ms. */
const PATIENCE = 300_000
const KINDS = ['pglite', 'postgres'] as const

const folder = temporaryFolder('resource-kill')
const stories = { pglite: createStory(), postgres: createStory() }

beforeAll(async () => {
  const urls = { pglite: `pglite://${join(folder.path, 'data')}`, postgres: await createDatabase() }
  await tell(
    KINDS.map((kind) => ({ story: stories[kind], url: urls[kind] })),
    KILLS,
  )
}, PATIENCE)
afterAll(() => folder.remove())

describe.each(KINDS)(`a server that is killed ${KILLS} times while it writes: %s`, (kind) => {
  const story: Story = stories[kind]

  it('was killed with writes in flight', () => {
    expect(story.lives).toBe(KILLS + 1)
    expect(story.interrupted).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.repeated.size).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.unknown.size).toBeGreaterThanOrEqual(KILLS / 2)
    expect(story.changed.size).toBeGreaterThan(KILLS)
    expect(story.removed.size).toBeGreaterThan(KILLS)
  })

  it('opens again each time, and acknowledges all that it is sent', () => {
    expect(story.wrong).toEqual([])
  })

  it('has every row that it acknowledged, exactly as it was', () => {
    const rows = new Map(story.rows.map((row) => [row.id, row]))
    const lost = [...story.acknowledged.values()].filter((row) => !isDeepStrictEqual(rows.get(row.id), row))
    expect(lost).toEqual([])
    expect(story.acknowledged.size).toBeGreaterThan(KILLS * 10)
  })

  it('has no row whose removal it acknowledged', () => {
    expect(story.rows.filter(({ priority }) => story.removed.has(priority))).toEqual([])
  })

  it('has one row of each write with a key, however often that was sent', () => {
    const numbers = story.rows.map(({ priority }) => priority)
    const counts = [...story.repeated].map((n) => numbers.filter((other) => other === n).length)
    expect(counts).toEqual(counts.map(() => 1))
  })

  it('has no row twice, none that nobody sent, and none in part', () => {
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
