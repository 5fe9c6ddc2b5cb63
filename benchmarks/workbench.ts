/** Measures the workbench in Chromium: the time until it is usable, and a stream of 10,000 chunks. */
import { cpus, loadavg } from 'node:os'
import { middle } from './harness/middle.ts'
import { openStage, type Stage } from '../tests/e2e/workbench/stage.ts'
import type { Page } from '@sdk/test-kit'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const CHUNKS = 10_000
/** The speed of scrolling in px per second: a fast wheel, or a drag from top to bottom in 4 s. */
const SPEEDS = { wheel: 8_000, dragged: Number.POSITIVE_INFINITY }

console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds, medians; load ${loadavg()[0]?.toFixed(1)}\n`,
)
const stage = await openStage()
try {
  await settled(stage)
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
  for (const [name, speed] of Object.entries(SPEEDS)) {
    const own = await scroll(page, speed)
    const bare = await scrollBare(await stage.blank(), speed)
    print(`scrolling them, ${name}`, `${toFrames(own)}; a bare page of such rows ${toFrames(bare)}`)
  }
} finally {
  await stage.close()
}

function toFrames({ fps, slowest }: { fps: number; slowest: number }): string {
  return `${fps.toFixed(1)} frames a second, slowest ${slowest.toFixed(0)} ms`
}

function print(name: string, figure: string): void {
  console.log(`${name.padEnd(40)} ${figure}`)
}

/** Measures the time from the first request until the list of agents can be clicked, in a new browser. */
async function firstUsable({ blank, server }: Stage): Promise<number> {
  const page = await blank()
  const started = performance.now()
  await page.goto(server.link, { waitUntil: 'commit' })
  await page.getByRole('link', { name: /greet/ }).first().waitFor()
  const ms = performance.now() - started
  await page.context().close()
  return ms
}

/** Waits until a new project has created its database, which uses all CPU. */
async function settled({ call }: Stage): Promise<void> {
  while ((await call('GET /readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 200))
  await new Promise((resolve) => setTimeout(resolve, 3_000))
}

async function receive(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.getByRole('tab', { name: /^Stream/ }).click()
  await page.getByRole('tab', { name: /^Stream.*10,?000/ }).waitFor({ timeout: 60_000 })
}

/** Measures the tasks that block the page while an action runs. */
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

/** The limit of this machine: a list that is not rendered again while it scrolls. */
async function scrollBare(page: Page, speed: number): Promise<{ fps: number; slowest: number }> {
  const rows = Array.from({ length: CHUNKS }, (_, n) => `<p>#${n} +${n} ms (gap 0.1 ms) 8 B {"n":${n}}</p>`).join('')
  await page.setContent(`<div class="virtual" style="height:300px;overflow:auto;font:13px monospace">${rows}</div>`)
  return scroll(page, speed)
}

/** Scrolls the list of chunks for four seconds, one step per frame. */
async function scroll(page: Page, speed: number): Promise<{ fps: number; slowest: number }> {
  return page.evaluate(async (most) => {
    const list = Array.from(document.querySelectorAll<HTMLElement>('.virtual')).find(
      ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight * 20,
    )
    if (list === undefined) throw new Error('the list of chunks was not found')
    const perMs = Math.min(most / 1000, list.scrollHeight / 4_000)
    const frames: number[] = []
    const started = performance.now()
    let before = started
    while (before - started < 4_000) {
      list.scrollTop = (before - started) * perMs
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      frames.push(now - before)
      before = now
    }
    return { fps: (frames.length / (before - started)) * 1000, slowest: Math.max(...frames) }
  }, speed)
}
