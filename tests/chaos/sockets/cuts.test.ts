import { temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import { startListener, startSender, until } from './clients.ts'
import { type Delivery, type Reception, judgeDelivery, judgeReception } from './judge.ts'
import { later, startLives } from './lives.ts'
import { endPublishing, readHandled, readLastPublished } from './notes.ts'
import { type Cut, startProxy } from './proxy.ts'
import { addDelivery, addReceptions } from './rows.ts'

const MESSAGES = choose(10_000, 800)
const PER_SECOND = 250
const LISTENERS = 5
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)
const CLEAN = { missed: [], unreported: [], reordered: [], duplicates: [], gaps: 0, behind: 0 }

const cuts: Record<Cut, number> = { fin: 0, rst: 0 }
let delivery: Delivery
let replies: Reception
let published: number
let receptions: Reception[]
let printed: string

beforeAll(async () => {
  const folder = temporaryFolder('cuts')
  const random = createRandom(SEED)
  const lives = await startLives({ folder: folder.path, perSecond: PER_SECOND, spread: 0 }, { count: 0, random })
  const proxy = await startProxy(lives.port)
  try {
    const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => startListener(proxy.port)))
    const sender = startSender(proxy.port, { last: MESSAGES, perSecond: PER_SECOND })
    let before: number[] = []
    const finished = sender.done.then(() => 'finished' as const)
    for (let how: Cut = 'fin'; ; how = how === 'fin' ? 'rst' : 'fin') {
      if ((await Promise.race([finished, later(1_000 + random.below(1_000))])) === 'finished') break
      // On a busy machine, clients reconnect slowly: wait for all of them before the next cut.
      await until(() => listeners.every(({ seen }, index) => seen.length > (before[index] ?? 0)))
      cuts[how] += proxy.cut(how)
      before = listeners.map(({ seen }) => seen.length)
    }
    endPublishing(folder.path)
    await until(() => listeners.every(({ seen }) => seen.at(-1) === readLastPublished(folder.path)))
    await until(() => sender.replies.at(-1) === MESSAGES, { withinMs: 10_000 })
    for (const client of [sender, ...listeners]) client.close()
    delivery = judgeDelivery(MESSAGES, readHandled(folder.path))
    replies = judgeReception({ first: 1, last: MESSAGES }, sender.replies)
    published = readLastPublished(folder.path)
    receptions = listeners.map(({ seen }) => judgeReception({ first: 1, last: published }, seen))
    printed = lives.output()
  } finally {
    await proxy.close()
    await lives.end()
    folder.remove()
  }
  addRows()
})

describe(`${MESSAGES} messages in each direction over repeatedly cut connections (seed ${SEED})`, () => {
  it('are sent during cuts of both kinds', () => {
    expect(cuts.fin).toBeGreaterThanOrEqual(LISTENERS)
    expect(cuts.rst).toBeGreaterThanOrEqual(LISTENERS)
  })

  it('reach the handler once each, in order', () => {
    expect(delivery).toMatchObject({ sent: MESSAGES, lost: [], reordered: [], duplicates: [] })
  })

  it('receive one reply each, in order', () => {
    expect(replies).toEqual({ ...CLEAN, received: MESSAGES })
  })

  it('reach all clients in the room once each, in order, without a gap', () => {
    expect(receptions).toEqual(Array.from({ length: LISTENERS }, () => ({ ...CLEAN, received: published })))
  })

  it('cause no errors in the log', () => {
    expect(printed.replaceAll(/stands by\n|http:\S+\n/g, '')).toBe('')
  })
})

function addRows(): void {
  const count = cuts.fin + cuts.rst
  addDelivery({ name: 'cuts: to the server', cuts: count }, delivery)
  addReceptions({ name: 'cuts: replies', cuts: count }, MESSAGES, [replies])
  addReceptions({ name: `cuts: room, ${LISTENERS} clients`, cuts: count }, published, receptions)
}
