import { type Exit, temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import { startListener, startSender, until } from './clients.ts'
import { type Delivery, type Reception, judgeDelivery, judgeReception } from './judge.ts'
import { DEATHS, type Death, startLives } from './lives.ts'
import { endPublishing, readHandled, readLastPublished } from './notes.ts'
import { addDelivery, addReceptions } from './rows.ts'

const MESSAGES = choose(10_000, 500)
const RESTARTS = choose(5, 1)
const PER_SECOND = 250
const LISTENERS = 5
/** Clients reconnect sooner in the short tests. */
const SHORT = choose({}, { spread: 500 })
/**
 * The maximum number of handled messages that a server has not acknowledged when it is killed: one batch, or the few
 * that arrive together on a busy machine.
 */
const ACK_BATCH = choose(32, 128)
/** The same delays in every run; CHAOS_SEED=… uses others. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

interface Story {
  readonly delivery: Delivery
  /** The replies to the sent messages. */
  readonly replies: Reception
  /** The number of messages to the room. */
  readonly published: number
  /** The messages that each listener received. */
  readonly receptions: readonly Reception[]
  readonly exits: readonly Exit[]
  readonly lives: number
  readonly printed: string
}

const stories = new Map<Death, Story>()
beforeAll(async () => {
  await Promise.all(DEATHS.map(async (death, index) => stories.set(death, await live(death, SEED + index))))
})

describe.each(DEATHS)(
  `${MESSAGES} messages in each direction during ${RESTARTS} restarts by %s (seed ${SEED})`,
  (death) => {
    const story = (): Story => stories.get(death) as Story

    it('reach the handler in the order in which they were sent', () => {
      expect(story().delivery).toMatchObject({ sent: MESSAGES, lost: [], reordered: [] })
      expect(story().lives).toBe(RESTARTS + 1)
    })

    it('are only redelivered after a lost ack, and are marked', () => {
      expect(story().delivery).toMatchObject({ unmarked: [], renamed: [] })
      expect(story().delivery.duplicatesOfALife).toBeLessThanOrEqual(death === 'SIGTERM' ? 0 : ACK_BATCH)
    })

    it('receive a reply, or the sender receives a gap', () => {
      expect(story().replies).toMatchObject({ unreported: [], reordered: [], behind: 0 })
      // A redelivered message has a second reply.
      expect(story().replies.duplicates.length).toBeLessThanOrEqual(story().delivery.duplicates.length)
    })

    it('reach all clients in the room in order, or the clients receive a gap', () => {
      for (const reception of story().receptions) {
        expect(reception).toMatchObject({ unreported: [], reordered: [], duplicates: [], behind: 0 })
        expect(reception.gaps).toBeLessThanOrEqual(RESTARTS)
        expect(reception.received + reception.missed.length).toBe(story().published)
        expect(reception.received).toBeGreaterThan(story().published / 4)
      }
    })

    it('cause no errors in the log', () => {
      const wanted = death === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' }
      expect(story().exits).toEqual(Array.from({ length: RESTARTS }, () => wanted))
      expect(story().printed.replaceAll(/stands by\n|http:\S+\n/g, '')).toBe('')
    })
  },
)

async function live(death: Death, seed: number): Promise<Story> {
  const folder = temporaryFolder('chaos')
  const options = { folder: folder.path, perSecond: PER_SECOND, ...SHORT }
  const lives = await startLives(options, { count: RESTARTS, random: createRandom(seed) })
  try {
    const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => startListener(lives.port)))
    let restarted = 0
    const share = MESSAGES / (RESTARTS + 1)
    // Every life has its share of messages, regardless of their rate.
    const upTo = (): number => (restarted + 1.5) * share
    const sender = startSender(lives.port, { last: MESSAGES, perSecond: PER_SECOND, upTo })
    const receiveMore = async (): Promise<void> => {
      const before = listeners.map(({ seen }) => seen.length)
      await until(() => listeners.every(({ seen }, index) => seen.length > (before[index] ?? 0) + 1))
    }
    for (; restarted < RESTARTS; restarted++) {
      await until(() => sender.handled() >= (restarted + 1) * share)
      await lives.restart(death)
      await receiveMore()
    }
    await sender.done
    endPublishing(folder.path)
    await until(() => listeners.every(({ seen }) => seen.at(-1) === readLastPublished(folder.path)))
    for (const client of [sender, ...listeners]) client.close()

    const handled = readHandled(folder.path)
    const published = readLastPublished(folder.path)
    const story: Story = {
      delivery: judgeDelivery(MESSAGES, handled),
      replies: judgeReception({ first: 1, last: MESSAGES }, sender.replies),
      published,
      receptions: listeners.map(({ seen }) => judgeReception({ first: 1, last: published }, seen)),
      exits: lives.exits,
      lives: new Set(handled.map(({ life }) => life)).size,
      printed: lives.output(),
    }
    addRows(death, story)
    return story
  } finally {
    await lives.end()
    folder.remove()
  }
}

function addRows(death: Death, { delivery, replies, published, receptions }: Story): void {
  addDelivery({ name: `${death}: to the server`, restarts: RESTARTS }, delivery)
  addReceptions({ name: `${death}: replies`, restarts: RESTARTS }, MESSAGES, [replies])
  addReceptions({ name: `${death}: room, ${LISTENERS} clients`, restarts: RESTARTS }, published, receptions)
}
