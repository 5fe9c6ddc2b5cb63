import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  type Browser,
  createDatabase,
  freePort,
  shareBrowser,
  type NodeProcess,
  type Page,
  spawnNode,
} from '@sdk/test-kit'
import { expect } from 'vitest'
import { copyExample } from '../copy-example.ts'
import { sdkHere } from '../sdk-here.ts'

const SDK = join(createRequire(import.meta.url).resolve('@sdk/cli/package.json'), '../bin/sdk.js')

/** As in development: one process that watches the files, on the embedded database. */
export function startDev(): Promise<NodeProcess> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: 'pglite://memory', NODE_ENV: undefined }
  return spawnNode({ file: SDK, args: ['dev'], cwd: copyExample('tasks'), env })
}

/** As in production: built, with plain Node, on PostgreSQL. */
export async function startBuilt(): Promise<NodeProcess> {
  const port = await freePort()
  const cwd = copyExample('tasks')
  expect(await sdkHere(cwd, ['build'])).toEqual([0, expect.any(String)])
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    DATABASE_URL: await createDatabase(),
    AUTH_SECRET: 'only-for-this-test-only-for-this-test',
    AUTH_URL: `http://127.0.0.1:${port}`,
  }
  return spawnNode({ file: join(cwd, 'dist/server/index.js'), cwd, env, ready: /http:\/\/[\d.:]+/ })
}

/** A browser of one user, and actions in it. */
export interface Visitor {
  readonly page: Page
  press(name: string | RegExp): Promise<void>
  /** Navigates to a page of the app through its link. */
  goTo(name: string): Promise<void>
  /** Waits for an entry of a list. */
  item(text: string): Promise<void>
  say(text: string): Promise<void>
  /** Opens another tab of the same user. */
  openTab(): Promise<Visitor>
}

/** The showcase on its own server, with browsers. */
export interface Stage {
  readonly url: string
  /** Returns and clears the unexpected console messages. */
  takeWarnings(): string[]
  /** Requests to other hosts. */
  readonly strangers: readonly string[]
  visit(): Promise<Visitor>
  close(): Promise<void>
}

/** Starts the server and the browser. */
export async function openStage(start: () => Promise<NodeProcess>): Promise<Stage> {
  const [server, browser]: [NodeProcess, Browser] = await Promise.all([start(), shareBrowser()])
  const warnings: string[] = []
  const strangers: string[] = []

  function watch(page: Page): void {
    page.on('console', (message) => {
      // The browser reports a thread that has no run yet as 404.
      if (message.location().url.includes('/threads/')) return
      // It also reports sockets of a page that is left while they connect.
      if (message.text().endsWith('WebSocket is closed before the connection is established.')) return
      if (['error', 'warning'].includes(message.type())) warnings.push(message.text())
    })
    page.on('pageerror', (error) => warnings.push(String(error)))
    page.on('request', (request) => {
      const url = request.url()
      if (!/^(data|blob):/.test(url) && !url.startsWith(server.url)) strangers.push(url)
    })
  }

  async function toVisitor(page: Page): Promise<Visitor> {
    watch(page)
    await page.goto(server.url)
    return {
      page,
      press: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }).click(),
      async goTo(name) {
        await page.getByRole('navigation').getByRole('link', { name }).click()
        await page.getByRole('heading', { name, level: 1 }).waitFor()
      },
      item: (text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor(),
      async say(text) {
        await page.getByLabel('Message', { exact: true }).fill(text)
        await page.getByRole('button', { name: 'Send' }).click()
      },
      openTab: async () => toVisitor(await page.context().newPage()),
    }
  }

  return {
    url: server.url,
    takeWarnings: () => warnings.splice(0),
    strangers,
    visit: async () => toVisitor(await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()),
    async close() {
      await browser.close()
      await server.stop()
    },
  }
}
