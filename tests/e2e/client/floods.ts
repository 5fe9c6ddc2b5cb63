import { openQuietPage } from '@sdk/test-kit'
import { beforeAll, expect, it } from 'vitest'
import { bundle, toHtml } from '../bundle.ts'
import { watchLongTasks } from '../long-tasks.ts'
import { createActor } from './actor.ts'
import { at, IN_BROWSER } from './page.ts'
import type { Stage } from './stage.ts'

const COUNT = 20_000

/** What a flood was for the page. */
interface Flood {
  readonly took: number
  readonly frames: number
  readonly commits: number
  /** The first chunk after so many ms. */
  readonly first: number
  /** The longest task in ms; 0: none over 50. */
  readonly longest: number
}

/** Many chunks at once leave a page in peace. */
export function floodsAreCheap(stage: Stage): void {
  beforeAll(async () => {
    const code = await bundle({ files: IN_BROWSER, mode: 'production' })
    stage.place.pages.set('/production', toHtml('Client', code))
  })

  it.each(['GET', 'POST'])('shows 20,000 chunks of a %s at most once a frame', async (method) => {
    stage.place.answer(`${method} flood`, async function* flood() {
      for (let n = 1; n <= COUNT; n++) yield { n, text: 'a chunk of some length' }
    })
    // On a busy machine any task is interrupted, so that a bad round says little; but no luck makes a good one.
    const rounds = [await play(stage, method)]
    while (rounds.length < 3 && best(rounds).longest >= 100) rounds.push(await play(stage, method))
    console.log(`20,000 chunks of a ${method}, in ms:`, JSON.stringify(rounds))
    const { commits, frames, longest, first, took } = best(rounds)
    expect(longest).toBeLessThan(100)
    expect(commits).toBeGreaterThan(2)
    expect(commits).toBeLessThanOrEqual(frames + 2)
    expect(first).toBeLessThan(took)
  })
}

async function play({ browser, place }: Stage, method: string): Promise<Flood> {
  const page = await openQuietPage(browser, `${place.url}/production`)
  const actor = createActor(page.run)
  const readTasks = await watchLongTasks(page.run)
  await actor.show(at('a', `${method} flood`, { enabled: false }))
  const counted = await page.run(count, method === 'GET' ? 'refetch' : 'invoke')
  const last = { n: COUNT, text: 'a chunk of some length' }
  await actor.until('a', { status: 'success', data: { count: COUNT, last }, chunks: COUNT })
  const isInOrder = await page.run(
    () => window.hooks.heard('a').every((chunk, index) => (chunk as { n: number }).n === index + 1),
    null,
  )
  expect({ isInOrder, heard: (await actor.read('heard', 'a')).length }).toEqual({ isInOrder: true, heard: COUNT })
  const tasks = await readTasks()
  expect(await actor.faults()).toEqual([])
  await page.close()
  return { ...counted, longest: Math.round(Math.max(0, ...tasks)) }
}

/** Runs in the page: counts its frames beside what React has shown, from the call to its end. */
function count(method: string): Promise<Omit<Flood, 'longest'>> {
  const { hooks } = window
  const [started, before] = [performance.now(), hooks.commits('a')]
  let [frames, first] = [0, 0]
  hooks.call('a', method)
  return new Promise((resolve) => {
    const look = (): void => {
      frames++
      const took = Math.round(performance.now() - started)
      const { chunks, isLoading, isStreaming } = hooks.see('a')
      if (first === 0 && chunks > 0) first = took
      if (chunks === 0 || isLoading || isStreaming) return void requestAnimationFrame(look)
      resolve({ took, frames, commits: hooks.commits('a') - before, first })
    }
    requestAnimationFrame(look)
  })
}

function best(rounds: readonly Flood[]): Flood {
  return rounds.reduce((one, other) => (other.longest < one.longest ? other : one))
}
