import { type Exit, temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import { startListener, startSender, until } from './clients.ts'
import { type Delivery, type Hearing, judgeDelivery, judgeHearing } from './judge.ts'
import { DEATHS, type Death, startLives } from './lives.ts'
import { endPublishing, readHandled, readLastPublished } from './notes.ts'
import { addDelivery, addHearings } from './rows.ts'

const MESSAGES = choose(10_000, 500)
const RESTARTS = choose(5, 1)
const PER_SECOND = 250
const LISTENERS = 5
/** Clients come back sooner where there is less time. */
const SHORT = choose({}, { spread: 500 })
/** What a server has handled and not yet said when it is killed: one receipt's worth. */
const RECEIPT = 32
/** The same waits every time; CHAOS_SEED=… tries others. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261)

interface Story {
  readonly delivery: Delivery
  /** The answers to what was sent. */
  readonly replies: Hearing
  /** How many were sent to the room. */
  readonly published: number
  /** What each of the listeners heard. */
  readonly hearings: readonly Hearing[]
  readonly exits: readonly Exit[]
  readonly lives: number
  readonly printed: string
}

const stories = new Map<Death, Story>()
beforeAll(async () => {
  await Promise.all(DEATHS.map(async (death, index) => stories.set(death, await live(death, SEED + index))))
})

describe.each(DEATHS)(
  `${MESSAGES} messages each way, while the server is restarted ${RESTARTS} times by %s (seed ${SEED})`,
  (death) => {
    const story = (): Story => stories.get(death) as Story

    it('reach the handler, in the order in which they were sent', () => {
      expect(story().delivery).toMatchObject({ sent: MESSAGES, lost: [], reordered: [] })
      expect(story().lives).toBe(RESTARTS + 1)
    })

    it('are handled again only where a receipt was lost, and say so', () => {
      expect(story().delivery).toMatchObject({ unmarked: [], renamed: [] })
      expect(story().delivery.duplicatesOfALife).toBeLessThanOrEqual(death === 'SIGTERM' ? 0 : RECEIPT)
    })

    it('are answered, or the sender is told that an answer may be missing', () => {
      expect(story().replies).toMatchObject({ untold: [], reordered: [], behind: 0 })
      // A message that is handled again is answered again.
      expect(story().replies.duplicates.length).toBeLessThanOrEqual(story().delivery.duplicates.length)
    })

    it('are heard by all in the room in order, or they are told where some are missing', () => {
      for (const hearing of story().hearings) {
        expect(hearing).toMatchObject({ untold: [], reordered: [], duplicates: [], behind: 0 })
        expect(hearing.gaps).toBeLessThanOrEqual(RESTARTS)
        expect(hearing.heard + hearing.missed.length).toBe(story().published)
        expect(hearing.heard).toBeGreaterThan(story().published / 4)
      }
    })

    it('leave no error in the log', () => {
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
    // Every life has its share of messages, however fast they come.
    const upTo = (): number => (restarted + 1.5) * share
    const sender = startSender(lives.port, { last: MESSAGES, perSecond: PER_SECOND, upTo })
    const hearMore = async (): Promise<void> => {
      const before = listeners.map(({ seen }) => seen.length)
      await until(() => listeners.every(({ seen }, index) => seen.length > (before[index] ?? 0) + 1))
    }
    for (; restarted < RESTARTS; restarted++) {
      await until(() => sender.handled() >= (restarted + 1) * share)
      await lives.restart(death)
      await hearMore()
    }
    await sender.done
    endPublishing(folder.path)
    await until(() => listeners.every(({ seen }) => seen.at(-1) === readLastPublished(folder.path)))
    for (const client of [sender, ...listeners]) client.close()

    const handled = readHandled(folder.path)
    const published = readLastPublished(folder.path)
    const story: Story = {
      delivery: judgeDelivery(MESSAGES, handled),
      replies: judgeHearing({ first: 1, last: MESSAGES }, sender.replies),
      published,
      hearings: listeners.map(({ seen }) => judgeHearing({ first: 1, last: published }, seen)),
      exits: lives.exits,
      lives: new Set(handled.map(({ life }) => life)).size,
      printed: lives.output(),
    }
    note(death, story)
    return story
  } finally {
    await lives.end()
    folder.remove()
  }
}

function note(death: Death, { delivery, replies, published, hearings }: Story): void {
  addDelivery({ name: `${death}: to the server`, restarts: RESTARTS }, delivery)
  addHearings({ name: `${death}: answers`, restarts: RESTARTS }, MESSAGES, [replies])
  addHearings({ name: `${death}: room, ${LISTENERS} clients`, restarts: RESTARTS }, published, hearings)
}
