import { setTimeout as pass } from 'node:timers/promises'
import { openQuietPage } from '@sdk/test-kit'
import { beforeAll, expect, it } from 'vitest'
import { choose } from '../../chaos/mode.ts'
import { bundle, toHtml } from '../bundle.ts'
import { costOf } from '../page-cost.ts'
import { createActor } from './actor.ts'
import { at, IN_BROWSER } from './page.ts'
import type { Stage } from './stage.ts'

const COUNT = choose(20_000, 5_000)

/** The measurements of a flood of chunks. */
interface Flood {
  readonly frames: number
  /** The number of renders. */
  readonly commits: number
  /** The time of the first chunk, in ms. */
  readonly first: number
}

/** Tests that many chunks do not block a page. */
export function testFloods(stage: Stage): void {
  beforeAll(async () => {
    const code = await bundle({ files: IN_BROWSER, mode: 'production' })
    stage.place.pages.set('/production', toHtml('Client', code))
  })

  it.each(['GET', 'POST'])('renders thousands of chunks of a %s about once per frame', async (method) => {
    stage.place.handle(`${method} flood`, async function* flood() {
      for (let n = 1; n <= COUNT; n++) {
        yield { n, text: 'a chunk of some length' }
        // The chunks arrive in far more packets than there are frames.
        if (n % 80 === 0) await pass(1)
      }
    })
    // `npm run bench -- client` measures their cost.
    const { took, frames, commits, first } = await play(stage, method)
    expect(first).toBeLessThan(took / 2)
    expect(commits).toBeGreaterThan(3)
    // Our clock is slightly faster than the clock of the page.
    expect(commits).toBeLessThanOrEqual(frames * 1.1 + 2)
  })
}

async function play({ browser, place }: Stage, method: string): Promise<Flood & { took: number }> {
  const page = await openQuietPage(browser, `${place.url}/production`)
  const actor = createActor(page.run)
  await actor.show(at('a', `${method} flood`, { enabled: false }))
  const cost = await costOf(page, () => page.run(count, method === 'GET' ? 'refetch' : 'invoke'))
  const last = { n: COUNT, text: 'a chunk of some length' }
  await actor.until('a', { status: 'success', data: { count: COUNT, last }, chunks: COUNT })
  const received = (await actor.read('received', 'a')) as { n: number }[]
  expect(received).toHaveLength(COUNT)
  expect(received.findIndex(({ n }, index) => n !== index + 1)).toBe(-1)
  expect(await actor.faults()).toEqual([])
  await page.close()
  return cost
}

/** Runs in the page: counts its frames and renders, from the call to its end. */
function count(method: string): Promise<Flood> {
  const { hooks } = window
  const [started, before] = [performance.now(), hooks.commits('a')]
  let [frames, first] = [0, 0]
  hooks.call('a', method)
  return new Promise((resolve) => {
    const look = (): void => {
      frames++
      const { chunks, isLoading, isStreaming } = hooks.see('a')
      if (first === 0 && chunks > 0) first = Math.round(performance.now() - started)
      if (chunks === 0 || isLoading || isStreaming) return void requestAnimationFrame(look)
      resolve({ frames, commits: hooks.commits('a') - before, first })
    }
    requestAnimationFrame(look)
  })
}
