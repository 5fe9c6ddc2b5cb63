import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, hasChromium, launchBrowser, type NodeProcess, type Page, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { copyExample } from './copy-example.ts'
import { sdkHere } from './sdk-here.ts'
import { type Cable, layCable } from './sockets/cable.ts'

const require = createRequire(import.meta.url)

describe.skipIf(!hasChromium())('the small examples in a browser', () => {
  let browser: Browser
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** A page of somebody else: with a storage of its own. */
  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.setDefaultTimeout(20_000)
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
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

    it('streams word by word, stops, and shows what the server refuses', async () => {
      const page = await open(server.url)
      const said = page.getByRole('status')
      await page.getByRole('button', { name: 'Greet' }).click()
      await said.filter({ hasText: /^Hello,( world\.)?$/ }).waitFor()
      await said.filter({ hasText: 'Hello, world. Every word is a chunk.' }).waitFor()

      await page.getByRole('button', { name: 'Greet' }).click()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Greet' }).click()
      await page.getByRole('alert').filter({ hasText: 'name' }).waitFor()
      await page.close()
      // The browser itself reports the 400 on its console; a caller who leaves is no error to the server.
      expect(complaints.splice(0).filter((text) => !text.includes('status of 400'))).toEqual([])
      expect(server.output()).not.toMatch(/"level":"(error|warn)"/)
    })
  })

  describe('chat', () => {
    let server: NodeProcess
    let cable: Cable

    beforeAll(async () => {
      const cwd = copyExample('chat')
      // As it is deployed: a development server would reload a page whose line was cut.
      expect(await sdkHere(cwd, ['build'])).toEqual([0, expect.any(String)])
      const env = { NODE_ENV: 'production', PORT: '0', DATABASE_URL: 'pglite://memory' }
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

    async function say(page: Page, text: string): Promise<void> {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    }

    const texts = (page: Page): Promise<string[]> => page.locator('ol span').allTextContents()
    const hears = (page: Page, text: string): Promise<void> =>
      page.locator('ol span').filter({ hasText: text }).waitFor()

    it('carries a talk between two pages, over a reload and a line that was cut, without loss', async () => {
      const [ada, ben] = [await enter(server.url, 'Ada'), await enter(cable.url, 'Ben')]
      for (const page of [ada, ben]) await page.getByLabel('People').filter({ hasText: 'Ada, Ben' }).waitFor()
      await say(ada, 'one')
      await hears(ben, 'one')
      await say(ben, 'two')
      await hears(ada, 'two')

      await ada.reload()
      await hears(ada, 'two')
      expect(await texts(ada)).toEqual(['one', 'two'])

      cable.unplug()
      await ada.getByLabel('People').filter({ hasText: /^Ada$/ }).waitFor()
      await ben.getByText('connected', { exact: true }).waitFor({ state: 'detached' })
      await say(ben, 'from the dark')
      await ben.getByText('1 to be sent after reconnecting').waitFor()
      await say(ada, 'while you were away')
      await hears(ada, 'while you were away')
      expect(await texts(ben)).toEqual(['one', 'two'])

      cable.plug()
      for (const page of [ada, ben]) {
        await hears(page, 'from the dark')
        await hears(page, 'while you were away')
        expect(await texts(page)).toEqual(['one', 'two', 'while you were away', 'from the dark'])
        await page.getByLabel('People').filter({ hasText: 'Ada, Ben' }).waitFor()
      }
    })

    it('keeps rooms apart', async () => {
      const cleo = await enter(server.url, 'Cleo')
      await hears(cleo, 'from the dark')
      await cleo.getByRole('button', { name: '# tea' }).click()
      await cleo
        .getByLabel('People')
        .filter({ hasText: /^Cleo$/ })
        .waitFor()
      await say(cleo, 'green, please')
      await hears(cleo, 'green, please')
      expect(await texts(cleo)).toEqual(['green, please'])
    })

    it('left no complaint but those of the browser on the line that was cut', () => {
      expect(complaints.filter((text) => !text.includes('WebSocket connection to'))).toEqual([])
      expect(server.output()).not.toMatch(/"level":"(error|warn)"/)
    })
  })
})
