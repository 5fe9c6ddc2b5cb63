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

    let page: Page

    beforeAll(async () => {
      ;[server, browser] = await Promise.all([start(), launchBrowser()])
      page = await open()
    })
    afterAll(async () => {
      await browser?.close()
      await server?.stop()
    })

    async function open(): Promise<Page> {
      const opened = await browser.newPage()
      opened.setDefaultTimeout(20_000)
      opened.on(
        'console',
        (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()),
      )
      opened.on('pageerror', (error) => complaints.push(String(error)))
      await opened.goto(server.url)
      await opened.getByText('server ok, data in').waitFor()
      return opened
    }

    const press = (name: string): Promise<void> => page.getByRole('button', { name }).click()
    const item = (text: string): Promise<void> => page.getByRole('listitem').filter({ hasText: text }).waitFor()

    it('lists tasks by GET and adds one by POST', async () => {
      await page.getByLabel('New task').fill('Water the plants')
      await press('Add')
      await item('Water the plants')
    })

    it('changes one by PATCH, and removes one by DELETE', async () => {
      await page.getByLabel('New task').fill('Count the stars')
      await press('Add')
      await item('Count the stars')
      await page.getByRole('checkbox', { name: 'Water the plants' }).click()
      await page.locator('s').filter({ hasText: 'Water the plants' }).waitFor()
      await press('Remove Count the stars')
      await page.getByRole('listitem').filter({ hasText: 'Count the stars' }).waitFor({ state: 'detached' })
    })

    it('shows what the server refuses', async () => {
      await press('Add')
      await page.getByRole('alert').filter({ hasText: 'title must have at least 1 character' }).waitFor()
      // The browser itself reports the 400 on its console.
      expect(complaints.splice(0).filter((text) => !text.includes('status of 400'))).toEqual([])
    })

    it('streams the agent chunk by chunk, and cancels it', async () => {
      await press('Summarize')
      await page.getByText('A route has one name.', { exact: true }).waitFor()
      expect(await page.getByText('4 sentences').count()).toBe(0)
      await page.getByText('4 sentences').waitFor()
      await press('Summarize')
      await press('Cancel')
      await page.getByRole('button', { name: 'Summarize' }).waitFor()
    })

    it('carries a chat between the page and a plain WebSocket', async () => {
      await page.getByText('connected', { exact: true }).waitFor()
      const heard = page.evaluate(
        () =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws/chat`)
            socket.addEventListener('open', () => socket.send('{"text":"plain hello"}'))
            socket.addEventListener('message', (event) => {
              if (String(event.data).includes('hello yourself')) resolve(String(event.data))
            })
          }),
      )
      await item('guest plain hello')
      await page.getByLabel('Message', { exact: true }).fill('hello yourself')
      await press('Send')
      expect(await heard).toBe('{"from":"guest","text":"hello yourself"}')
    })

    it('signs up, and knows the user in routes and sockets', async () => {
      await press('Where do I stand?')
      await page.getByText('Sign in, and I will tell you').waitFor()
      await press('Sign up')
      await page.getByLabel('Name').fill('Ada')
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByLabel('Password').fill('correct horse')
      await press('Create account')
      await page.getByText('Signed in as Ada').waitFor()

      await page.getByLabel('New task').fill('Sign the letter')
      await press('Add')
      await item('Sign the letter by Ada')

      await page.getByText('connected', { exact: true }).waitFor()
      await page.getByLabel('Message', { exact: true }).fill('it is me')
      await press('Send')
      await item('Ada it is me')
    })

    it('keeps notes for their owner, and an agent that knows who asks', async () => {
      await page.getByLabel('New note').fill('Nobody knows')
      await press('Keep')
      await item('Nobody knows')
      await press('Where do I stand?')
      await page.getByText('Ada, you have one private note.').waitFor()
    })

    it('keeps the tasks and the session over a reload, until sign-out', async () => {
      await page.reload()
      await item('Water the plants')
      await item('Nobody knows')
      await page.getByText('Signed in as Ada').waitFor()
      await press('Sign out')
      await page.getByText('Sign in to keep notes').waitFor()
      expect(await page.getByText('Nobody knows').count()).toBe(0)
    })

    it('signs in again, after a wrong password was refused', async () => {
      await press('Sign in')
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByLabel('Password').fill('wrong horse')
      await press('Continue')
      await page.getByRole('alert').waitFor()
      await page.getByLabel('Password').fill('correct horse')
      await press('Continue')
      await item('Nobody knows')
      // The browser itself reports the 401 on its console.
      expect(complaints.splice(0).filter((text) => !text.includes('status of 401'))).toEqual([])
    })

    it('left no complaint in the console', () => {
      expect(complaints).toEqual([])
    })
  })
})
