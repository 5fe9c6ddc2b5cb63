/** `npm run screenshots [workbench|tools|durable|live|showcase]`: takes the screenshots for both READMEs. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type WebSocketClass } from '@sdk/frontend'
import type { Page } from '@sdk/test-kit'
import { WebSocket } from 'ws'
import { createDurableProject } from '../tests/e2e/workbench/durable-project.ts'
import { openStage, type Stage, type Visit } from '../tests/e2e/workbench/stage.ts'
import { build } from './run.ts'
import { shootShowcase } from './shoot-showcase.ts'

const FOLDER = join(import.meta.dirname, '../packages/workbench/docs')

interface Scene {
  readonly name: string
  readonly path: string
  /** Prepares the page before the screenshot. */
  act?(page: Page): Promise<void>
}

const run = (page: Page): Promise<void> => page.getByRole('button', { name: /^Run/ }).click()
const tab = (page: Page, name: RegExp): Promise<void> => page.getByRole('tab', { name }).last().click()

const SCENES: readonly Scene[] = [
  { name: 'home', path: '/' },
  {
    name: 'stream',
    path: '/agents/count',
    async act(page) {
      await page.getByRole('textbox', { name: /^to/ }).fill('40')
      await page.getByRole('textbox', { name: /^pause/ }).fill('20')
      await run(page)
      await tab(page, /^Stream/)
      await page.getByRole('tab', { name: /^Stream.*40/ }).waitFor()
    },
  },
  {
    name: 'trace',
    path: '/agents/brief',
    async act(page) {
      await run(page)
      await tab(page, /^Trace/)
      await page.getByText('greet').last().waitFor()
    },
  },
  {
    name: 'error',
    path: '/agents/throws',
    async act(page) {
      await run(page)
      await page.getByRole('heading', { name: 'no luck: rain' }).waitFor()
    },
  },
  {
    name: 'socket',
    path: '/ws/chat',
    async act(page) {
      await page.getByText('connected with sdk.v1').waitFor()
      for (let count = 0; count < 3; count += 1) await page.getByRole('button', { name: /^Send/ }).click()
      await page.getByText('"from":"guest"').nth(2).waitFor()
    },
  },
  { name: 'runs', path: '/runs' },
]

const TOOLS: Scene = {
  name: 'tools',
  path: `/tools?server=${encodeURIComponent('POST /api/mcp')}&tool=callGreet`,
  async act(page) {
    await page.getByRole('button', { name: /^Call\b/ }).click()
    await page
      .getByText(/Hello, dear/)
      .first()
      .waitFor()
  },
}

if (!(await build())) process.exit(1)
const [only] = process.argv.slice(2)
if (only === undefined || only === 'workbench') await shootWorkbench([...SCENES, TOOLS])
if (only === 'tools') await shootWorkbench([TOOLS])
if (only === undefined || only === 'durable') await shootDurable()
if (only === undefined || only === 'live') await shootLive()
if (only === undefined || only === 'showcase') await shootShowcase()

/** Takes screenshots at two widths and in both themes. */
async function shootWorkbench(scenes: readonly Scene[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const stage = await openStage()
  try {
    await makeRuns(stage)
    for (const width of [1440, 390]) await shootAll(await stage.visit({ width }), width, scenes)
  } finally {
    await stage.close()
  }
}

/** Takes screenshots of a durable run. */
async function shootDurable(): Promise<void> {
  const stage = await openStage(createDurableProject())
  try {
    const response = await stage.call('POST /agent/research', { question: 'Why is tea hot?' })
    await response.text().catch(() => '') // a retraction ends the response, but not the run
    const scene = {
      name: 'durable',
      path: `/runs/durable/${response.headers.get('run-id')}`,
      act: (page: Page) => page.getByRole('main').getByText('done', { exact: true }).waitFor(),
    }
    for (const width of [1440, 390]) await shootAll(await stage.visit({ width }), width, [scene])
  } finally {
    await stage.close()
  }
}

/** Takes screenshots of live subscriptions. */
async function shootLive(): Promise<void> {
  const stage = await openStage()
  const client = createClient({ baseUrl: stage.server.url, WebSocket: WebSocket as unknown as WebSocketClass })
  const stop = new AbortController()
  const list = { query: { done: false, sort: '-createdAt', limit: 20 } }
  try {
    await stage.call('POST /api/v1/notes', { title: 'Tea' })
    const watch = (route: string, options: object): Promise<unknown> => client.watch(route, options, stop).next()
    for (let count = 0; count < 3; count += 1) await watch('GET /api/v1/notes', list)
    await watch('GET /api/v1/notes', { query: { limit: 100 } })
    await watch('GET /api/v1/notes/:id', { params: { id: 1 } })
    for (const title of ['Milk', 'Honey']) await stage.call('POST /api/v1/notes', { title })
    const act = (page: Page) =>
      page
        .getByText(/^notes · /)
        .first()
        .waitFor()
    for (const width of [1440, 390])
      await shootAll(await stage.visit({ width }), width, [{ name: 'live', path: '/live', act }])
  } finally {
    stop.abort()
    await stage.close()
  }
}

async function makeRuns({ call }: Stage): Promise<void> {
  for (const name of ['Ada', 'Grace', 'Alan']) await call('POST /agent/greet', { name })
  await call('POST /agent/brief', {})
  await call('POST /agent/throws', {})
  for (const pause of [12, 8, 15]) await (await call('POST /agent/count', { to: 20, pause })).text()
  await call('GET /api/reports/7')
  await call('POST /api/v1/notes', { title: 'Tea' })
  await call('GET /api/v1/notes')
  await call('GET /api/mine')
}

async function shootAll({ page, open, paint }: Visit, width: number, scenes: readonly Scene[]): Promise<void> {
  for (const { name, path, act } of scenes) {
    await open(path)
    await act?.(page)
    for (const theme of ['light', 'dark'] as const) {
      await paint(theme)
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}-${width}.png`), animations: 'disabled' })
      console.log(`${name}, ${theme}, ${width} px`)
    }
  }
}
