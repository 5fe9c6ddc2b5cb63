import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  type Browser,
  emptyDatabase,
  hasChromium,
  shareBrowser,
  type NodeProcess,
  type Page,
  spawnNode,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { copyExample } from './copy-example.ts'
import { sdkHere } from './sdk-here.ts'
import { type Cable, layCable } from './sockets/cable.ts'

const require = createRequire(import.meta.url)

describe.skipIf(!hasChromium())('examples in a browser', () => {
  let browser: Browser
  const warnings: string[] = []

  beforeAll(async () => {
    browser = await shareBrowser()
  })
  afterAll(() => browser?.close())

  /** Opens a page with separate storage, as of another user. */
  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && warnings.push(message.text()))
    page.on('pageerror', (error) => warnings.push(String(error)))
    await page.goto(url)
    return page
  }

  describe('minimal', () => {
    let server: NodeProcess

    beforeAll(async () => {
      server = await spawnNode({
        file: require.resolve('tsx/cli'),
        args: ['src/server.ts'],
        cwd: copyExample('minimal'),
        env: { PORT: '0', NODE_ENV: undefined },
      })
    })
    afterAll(() => server?.stop())

    it('streams word by word, stops, and shows validation errors', async () => {
      const page = await open(server.url)
      const status = page.getByRole('status')
      await page.evaluate(recordTexts)
      await page.getByRole('button', { name: 'Greet' }).click()
      await status.filter({ hasText: 'Hello, world. Every word is a chunk.' }).waitFor()
      const texts = await page.evaluate(() => Reflect.get(window, 'texts') as string[])
      expect(texts).toContainEqual(expect.stringMatching(/^Hello,( world\.)?$/))

      await page.getByRole('button', { name: 'Greet' }).click()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Greet' }).click()
      await page.getByRole('alert').filter({ hasText: 'name' }).waitFor()
      await page.close()
      // The browser logs the 400 itself; a client that disconnects is not an error on the server.
      expect(warnings.splice(0).filter((text) => !text.includes('status of 400'))).toEqual([])
      expect(server.output()).not.toMatch(/"level":"(error|warn)"/)
    })
  })

  describe('chat', () => {
    let server: NodeProcess
    let cable: Cable

    beforeAll(async () => {
      const cwd = copyExample('chat')
      // A production build: the development server would reload a disconnected page.
      expect(await sdkHere(cwd, ['build'])).toEqual([0, expect.any(String)])
      // Zod is part of the bundle, while packages that share the core are not.
      const { dependencies } = JSON.parse(readFileSync(join(cwd, 'dist/server/package.json'), 'utf8')) as {
        dependencies: object
      }
      expect(Object.keys(dependencies)).toEqual(['@sdk/database', '@sdk/server'])
      const env = { NODE_ENV: 'production', PORT: '0', DATABASE_URL: await emptyDatabase() }
      server = await spawnNode({
        file: join(cwd, 'dist/server/index.js'),
        cwd,
        env,
        ready: URL_LINE,
      })
      cable = await layCable(Number(new URL(server.url).port))
    })
    afterAll(async () => {
      await cable?.close()
      await server?.stop()
    })

    async function enter(url: string, name: string): Promise<Page> {
      const page = await open(url)
      await page.getByLabel('Your name').fill(name)
      await page.getByRole('button', { name: 'Enter' }).click()
      await page.getByText('connected', { exact: true }).waitFor()
      return page
    }

    async function sendMessage(page: Page, text: string): Promise<void> {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    }

    const texts = (page: Page): Promise<string[]> => page.locator('ol span').allTextContents()
    const untilShown = (page: Page, text: string): Promise<void> =>
      page.locator('ol span').filter({ hasText: text }).waitFor()

    it('delivers messages between two pages over a reload and a lost connection', async () => {
      const [ada, ben] = [await enter(server.url, 'Ada'), await enter(cable.url, 'Ben')]
      for (const page of [ada, ben]) await page.getByLabel('People').filter({ hasText: 'Ada, Ben' }).waitFor()
      await sendMessage(ada, 'one')
      await untilShown(ben, 'one')
      await sendMessage(ben, 'two')
      await untilShown(ada, 'two')

      await ada.reload()
      await untilShown(ada, 'two')
      expect(await texts(ada)).toEqual(['one', 'two'])

      cable.unplug()
      await ada.getByLabel('People').filter({ hasText: /^Ada$/ }).waitFor()
      await ben.getByText('connected', { exact: true }).waitFor({ state: 'detached' })
      await sendMessage(ben, 'from the dark')
      await ben.getByText('1 to be sent after reconnecting').waitFor()
      await sendMessage(ada, 'while you were away')
      await untilShown(ada, 'while you were away')
      expect(await texts(ben)).toEqual(['one', 'two'])

      cable.plug()
      for (const page of [ada, ben]) {
        await untilShown(page, 'from the dark')
        await untilShown(page, 'while you were away')
        expect(await texts(page)).toEqual(['one', 'two', 'while you were away', 'from the dark'])
        await page.getByLabel('People').filter({ hasText: 'Ada, Ben' }).waitFor()
      }
    })

    it('separates rooms', async () => {
      const cleo = await enter(server.url, 'Cleo')
      await untilShown(cleo, 'from the dark')
      await cleo.getByRole('button', { name: '# tea' }).click()
      await cleo
        .getByLabel('People')
        .filter({ hasText: /^Cleo$/ })
        .waitFor()
      await sendMessage(cleo, 'green, please')
      await untilShown(cleo, 'green, please')
      expect(await texts(cleo)).toEqual(['green, please'])
    })

    it('logs no errors except for the lost connection', () => {
      expect(warnings.filter((text) => !text.includes('WebSocket connection to'))).toEqual([])
      expect(server.output()).not.toMatch(/"level":"(error|warn)"/)
    })
  })
})

/** Runs in the page: records the texts of its status. A busy machine may not see each of them in time. */
function recordTexts(): void {
  const texts: (string | null | undefined)[] = []
  Reflect.set(window, 'texts', texts)
  new MutationObserver(() => texts.push(document.querySelector('[role=status], output')?.textContent)).observe(
    document.body,
    { subtree: true, childList: true, characterData: true },
  )
}
