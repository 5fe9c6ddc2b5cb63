/** Measures the cost of 30,000 socket messages in a page: `useWebsocket` and a bare WebSocket, alternating. */
import { cpus, loadavg } from 'node:os'
import { launchBrowser, openQuietPage } from '@sdk/test-kit'
import type { PageCost } from '../tests/e2e/page-cost.ts'
import { bare, costOfWay, ours, type Way } from '../tests/e2e/sockets/cost.ts'
import { startPlace } from '../tests/e2e/sockets/server.ts'
import { middle } from './harness/middle.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const COUNT = Number(process.env['BENCH_MESSAGES'] ?? 30_000)
const WAYS: Readonly<Record<string, Way>> = { bare, ours }
/** The limits: the ratio to the script time of a bare WebSocket, and the ms beyond the first 50 of long tasks. */
const GOAL = { script: 2, blocked: 100 } as const

const place = await startPlace()
const browser = await launchBrowser()
const costs: Record<string, PageCost[]> = { bare: [], ours: [] }
for (let round = 0; round < ROUNDS; round++)
  for (const [name, way] of Object.entries(WAYS)) {
    const page = await openQuietPage(browser, `${place.server.url}/production`)
    costs[name]?.push(await costOfWay(page, way, COUNT))
    await page.close()
  }
await browser.close()
await place.server.close({ grace: 100 })

const median = (name: string, part: keyof PageCost): number => middle((costs[name] ?? []).map((cost) => cost[part]))
console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}; ${ROUNDS} rounds of ${COUNT} messages, medians\n`,
)
for (const name of Object.keys(WAYS))
  console.log(
    `  ${name.padEnd(6)} script ${median(name, 'script')} ms, main thread ${median(name, 'busy')} ms, longest task ${median(name, 'longest')} ms, blocked ${median(name, 'blocked')} ms`,
  )
const ratio = median('ours', 'script') / median('bare', 'script')
console.log(
  `  script ${ratio.toFixed(2)} × (goal ${GOAL.script}), blocked ${median('ours', 'blocked')} ms (goal ${GOAL.blocked})`,
)
