import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  emptyDatabase,
  freePort,
  hasChromium,
  shareBrowser,
  type NodeProcess,
  type Page,
  spawnNode,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addRow, choose } from '../chaos/mode.ts'
import { SDK } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { runSdkHere } from './sdk-here.ts'
import { sendCall } from './workbench/send-call.ts'

const TEMPLATE = join(import.meta.dirname, '../../packages/create/template/default')

/** The number of restarts, and the time in which an open page must be usable after each. */
const RESTARTS = choose(10, 1)
const USABLE_MS = choose(3_000, 30_000)

/** Creates a project from the default template, with the packages of this clone. */
function createFromTemplate(): DemoProject {
  const files = readdirSync(join(TEMPLATE, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(TEMPLATE.length + 1))
  const contents = Object.fromEntries(files.map((file) => [file, readFileSync(join(TEMPLATE, file), 'utf8')]))
  return createDemoProject({ 'package.json': '{ "name": "my-app", "type": "module" }\n', ...contents })
}

async function start({ path }: DemoProject, port: number, database: string): Promise<NodeProcess & { link: string }> {
  const args = ['dev', '--port', String(port)]
  const server = await spawnNode({ file: SDK, args, cwd: path, env: { DATABASE_URL: database } })
  const link = await server.waitFor(/http:\S+_workbench\?token=[\w-]{43}/)
  await server.waitFor(/ready in/)
  return { ...server, link }
}

describe.skipIf(!hasChromium())('the workbench of a new app', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await shareBrowser()
  })
  afterAll(() => browser.close())

  describe('with the template default', () => {
    const project = createFromTemplate()
    let port: number
    let database: string
    let server: Awaited<ReturnType<typeof start>>
    let page: Page

    beforeAll(async () => {
      // create.test.ts uses the embedded database.
      ;[port, database] = [await freePort(), await emptyDatabase()]
      server = await start(project, port, database)
      page = await (await browser.newContext()).newPage()
      await page.goto(server.link)
    })
    afterAll(() => server.kill())

    it('completes the first Run and the first API call without input', async () => {
      await page.getByRole('link', { name: 'Call your API' }).click()
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^GET\s+\/api\/status$/)
      expect(await sendCall(page, /^Send/)).toBe(200)
      await page.goto(`${server.url}/_workbench`)
      await page.getByRole('link', { name: 'Run an agent' }).click()
      expect(await sendCall(page, /^Run/)).toBe(200)
      expect(await page.getByRole('alert').count()).toBe(0)
    })

    it('prints the running server if a second one is started in the same folder', async () => {
      const output = await runSdkHere(project.path, ['dev'])
      expect(output).toMatch(/^✗ sdk dev is already running in this folder: http:\/\/127\.0\.0\.1:<port> \(pid <pid>\)/)
      expect(output).toContain('sdk explain ALREADY_RUNNING')
      expect(output).toMatch(/\(1\)$/)
    })

    it('reconnects after restarts in the same tab and keeps the input', { timeout: 300_000 }, async () => {
      const times: number[] = []
      for (let round = 1; round <= RESTARTS; round++) {
        const goal = page.getByRole('textbox', { name: /^goal/ })
        await goal.fill(`typed before restart ${round}`)
        // Alternates between a crash and a normal stop.
        if (round % 2 === 1) await server.kill()
        else await server.stop('SIGINT')
        server = await start(project, port, database)
        const ready = performance.now()
        await page.getByText('Connected', { exact: true }).waitFor({ timeout: USABLE_MS })
        expect(await goal.inputValue()).toBe(`typed before restart ${round}`)
        expect(await sendCall(page, /^Run/)).toBe(200)
        times.push(performance.now() - ready)
      }
      expect(await page.getByText('Link required').count()).toBe(0)
      addRow({ test: 'workbench tab after a restart', rounds: RESTARTS, 'slowest, ms': Math.round(Math.max(...times)) })
      await page.reload()
      await page.getByText('Connected', { exact: true }).waitFor()
    })
  })
})
