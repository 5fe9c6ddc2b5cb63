import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  type Browser,
  createDatabase,
  freePort,
  hasChromium,
  hasPostgres,
  launchBrowser,
  type NodeProcess,
  type Page,
  spawnNode,
  startProcess,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PROJECT = join(import.meta.dirname, '../../examples/tasks')
const SDK = join(createRequire(import.meta.url).resolve('@sdk/cli/package.json'), '../bin/sdk.js')

const SECRET = 'only-for-this-test-only-for-this-test'

/** As people develop: one process that follows the files, on the embedded database. */
async function startDev(): Promise<NodeProcess> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: 'pglite://memory', NODE_ENV: undefined }
  return spawnNode({ file: SDK, args: ['dev'], cwd: PROJECT, env })
}

/** As people deploy: built, under plain Node, on PostgreSQL. */
async function startBuilt(): Promise<NodeProcess> {
  const port = await freePort()
  const build = await startProcess({ command: process.execPath, args: [SDK, 'build'], cwd: PROJECT })
  expect(await build.exited, build.output()).toMatchObject({ code: 0 })
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    DATABASE_URL: await createDatabase(),
    AUTH_SECRET: SECRET,
    AUTH_URL: `http://127.0.0.1:${port}`,
  }
  return spawnNode({ file: join(PROJECT, 'dist/server/index.js'), cwd: PROJECT, env, ready: /http:\/\/[\d.:]+/ })
}

const WAYS = [
  { name: 'in development, on the embedded database', start: startDev, isThere: true },
  { name: 'built, on PostgreSQL', start: startBuilt, isThere: hasPostgres() },
]

describe.each(WAYS)('the showcase, $name', ({ start, isThere }) => {
  describe.skipIf(!isThere || !hasChromium())('in a browser', () => {
    let server: NodeProcess
    let browser: Browser
    const complaints: string[] = []

    beforeAll(async () => {
      ;[server, browser] = await Promise.all([start(), launchBrowser()])
    })
    afterAll(async () => {
      await browser?.close()
      await server?.stop()
    })

    async function open(): Promise<Page> {
      const page = await browser.newPage()
      page.setDefaultTimeout(15_000)
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(server.url)
      return page
    }

    it('lists tasks by GET and adds one by POST', async () => {
      const page = await open()
      await page.getByText('server ok, data in').waitFor()
      await page.getByLabel('New task').fill('Water the plants')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('listitem').filter({ hasText: 'Water the plants' }).waitFor()
      await page.reload()
      await page.getByRole('listitem').filter({ hasText: 'Water the plants' }).waitFor()
      await page.close()
    })

    it('shows what the server refuses', async () => {
      const page = await open()
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('alert').filter({ hasText: 'title must have at least 1 character' }).waitFor()
      await page.close()
      // The browser itself reports the 400 on its console.
      expect(complaints.splice(0).filter((text) => !text.includes('status of 400'))).toEqual([])
    })

    it('streams the agent chunk by chunk, and cancels it', async () => {
      const page = await open()
      await page.getByRole('button', { name: 'Summarize' }).click()
      await page.getByText('A route has one name.', { exact: true }).waitFor()
      expect(await page.getByText('4 sentences').count()).toBe(0)
      await page.getByText('4 sentences').waitFor()
      await page.getByRole('button', { name: 'Summarize' }).click()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Summarize' }).waitFor()
      await page.close()
    })

    it('carries a chat between two pages', async () => {
      const [one, two] = [await open(), await open()]
      await Promise.all([one, two].map((page) => page.getByText('connected', { exact: true }).waitFor()))
      await one.getByLabel('Message', { exact: true }).fill('hello over there')
      await one.getByRole('button', { name: 'Send' }).click()
      for (const page of [one, two])
        await page.getByRole('listitem').filter({ hasText: 'guest hello over there' }).waitFor()
      await Promise.all([one.close(), two.close()])
    })

    it('signs up, and knows the user in routes and sockets', async () => {
      const page = await open()
      await page.getByText('Sign in').click()
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByLabel('Password').fill('correct horse')
      await page.getByLabel('Name').fill('Ada')
      await page.getByRole('button', { name: 'Go' }).click()
      await page.getByText('Signed in as Ada').waitFor()

      await page.getByLabel('New task').fill('Sign the letter')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('listitem').filter({ hasText: 'Sign the letter by Ada' }).waitFor()

      await page.getByText('connected', { exact: true }).waitFor()
      await page.getByLabel('Message', { exact: true }).fill('it is me')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('listitem').filter({ hasText: 'Ada it is me' }).waitFor()

      await page.reload()
      await page.getByText('Signed in as Ada').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Sign in').waitFor()
      await page.close()
    })

    it('left no complaint in the console', () => {
      expect(complaints).toEqual([])
    })
  })
})
