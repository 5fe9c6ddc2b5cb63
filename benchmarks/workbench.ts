/** The workbench in Chromium: how soon it is usable, and how it bears a stream of 10,000 chunks. */
import { cpus, loadavg } from 'node:os'
import { middle } from './harness/middle.ts'
import { openStage, type Stage } from '../tests/e2e/workbench/stage.ts'
import type { Page } from '@sdk/test-kit'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const CHUNKS = 10_000

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds, medians; load ${loadavg()[0]?.toFixed(1)}\n`,
)
const stage = await openStage()
try {
  const starts: number[] = []
  for (let round = 0; round < ROUNDS; round++) starts.push(await firstUsable(stage))
  print(
    'first usable, nothing cached',
    `${middle(starts).toFixed(0)} ms (${starts.map((ms) => ms.toFixed(0)).join(', ')})`,
  )
  const { page, open } = await stage.visit()
  await open('/agents/count')
  await page.getByRole('textbox', { name: /^to/ }).fill(String(CHUNKS))
  const live = await watch(page, () => receive(page))
  print(`${CHUNKS} chunks live, longest task`, `${live.longest.toFixed(0)} ms, tasks over 50 ms: ${live.long}`)
  const scrolled = await scroll(page)
  print(
    `scrolling through ${CHUNKS} chunks`,
    `${scrolled.fps.toFixed(1)} frames a second, slowest ${scrolled.slowest.toFixed(0)} ms`,
  )
} finally {
  await stage.close()
}

function print(name: string, figure: string): void {
  console.log(`${name.padEnd(40)} ${figure}`)
}

/** From the first byte asked for until the list of agents can be clicked, in a browser that has seen nothing. */
async function firstUsable({ visit, link }: Stage): Promise<number> {
  const { page } = await visit()
  const ms = await (async () => {
    const context = await page.context().browser()?.newContext()
    if (context === undefined) throw new Error('there is no browser')
    const cold = await context.newPage()
    const started = performance.now()
    await cold.goto(link(), { waitUntil: 'commit' })
    await cold.getByRole('link', { name: /greet/ }).first().waitFor()
    const took = performance.now() - started
    await context.close()
    return took
  })()
  await page.context().close()
  return ms
}

async function receive(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.getByRole('tab', { name: /^Stream/ }).click()
  await page.getByRole('tab', { name: /^Stream.*10,?000/ }).waitFor({ timeout: 60_000 })
}

/** The tasks that block the page while something is done. */
async function watch(page: Page, work: () => Promise<void>): Promise<{ longest: number; long: number }> {
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    })
  })
  await work()
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
  return { longest: Math.max(0, ...tasks), long: tasks.length }
}

/** Scrolls the list of chunks from top to end in four seconds, a step each frame. */
async function scroll(page: Page): Promise<{ fps: number; slowest: number }> {
  return page.evaluate(async () => {
    const list = Array.from(document.querySelectorAll<HTMLElement>('.virtual')).find(
      ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight * 20,
    )
    if (list === undefined) throw new Error('there is no long list')
    const frames: number[] = []
    const started = performance.now()
    let before = started
    while (before - started < 4_000) {
      list.scrollTop = ((before - started) / 4_000) * list.scrollHeight
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      frames.push(now - before)
      before = now
    }
    return { fps: (frames.length / (before - started)) * 1000, slowest: Math.max(...frames) }
  })
}
