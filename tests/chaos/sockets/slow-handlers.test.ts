import { type Exit, temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import { startSender, until } from './clients.ts'
import { type Delivery, judgeDelivery, judgeReception, type Reception } from './judge.ts'
import { startLives } from './lives.ts'
import { endPublishing, readHandled } from './notes.ts'
import { addDelivery, addReceptions } from './rows.ts'

const MESSAGES = choose(600, 100)
const RESTARTS = choose(3, 1)
const PER_SECOND = 50
const SLOW_MS = 600
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

let delivery: Delivery
let replies: Reception
let exits: readonly Exit[]
let lives: number

beforeAll(async () => {
  const folder = temporaryFolder('slow')
  const life = { folder: folder.path, perSecond: PER_SECOND, slowMs: SLOW_MS }
  const server = await startLives(life, { count: RESTARTS, random: createRandom(SEED) })
  try {
    let restarted = 0
    const share = MESSAGES / (RESTARTS + 1)
    // Some messages wait for their handler at every restart, but not more than it can handle before it exits.
    const upTo = (): number => (restarted + 1.5) * share
    const sender = startSender(server.port, { last: MESSAGES, perSecond: PER_SECOND, upTo })
    for (; restarted < RESTARTS; restarted++) {
      await until(() => sender.handled() >= (restarted + 1) * share)
      await server.restart('SIGTERM')
    }
    await sender.done
    endPublishing(folder.path)
    await until(() => sender.replies.at(-1) === MESSAGES, { withinMs: 10_000 })
    sender.close()
    const handled = readHandled(folder.path)
    delivery = judgeDelivery(MESSAGES, handled)
    replies = judgeReception({ first: 1, last: MESSAGES }, sender.replies)
    lives = new Set(handled.map(({ life: id }) => id)).size
    exits = [...server.exits]
  } finally {
    await server.end()
    folder.remove()
  }
  addDelivery({ name: 'SIGTERM, slow handlers: to the server', restarts: RESTARTS }, delivery)
  addReceptions({ name: 'SIGTERM, slow handlers: replies', restarts: RESTARTS }, MESSAGES, [replies])
})

describe(`${MESSAGES} messages to handlers that take up to ${SLOW_MS} ms during ${RESTARTS} SIGTERM restarts`, () => {
  it('are handled once each, in order', () => {
    expect(delivery).toMatchObject({ sent: MESSAGES, lost: [], reordered: [], duplicates: [] })
    expect(lives).toBe(RESTARTS + 1)
  })

  it('receive a reply, or the sender receives a gap', () => {
    expect(replies).toMatchObject({ unreported: [], reordered: [], duplicates: [], behind: 0 })
  })

  it('do not prevent a clean exit', () => {
    expect(exits).toEqual(Array.from({ length: RESTARTS }, () => ({ code: 0, signal: null })))
  })
})
