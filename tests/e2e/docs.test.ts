import { hasChromium, launchBrowser, temporaryFolder, type Browser, type Page } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite, type Site } from '../../docs/site/build.ts'
import { serveSite, type RunningSite } from '../../docs/site/serve.ts'
import { findFaults } from './workbench/axe.ts'

let site: Site
let server: RunningSite
let browser: Browser
beforeAll(async () => {
  const out = temporaryFolder('docs').path
  site = await buildSite({ out })
  server = await serveSite({ port: 0, out })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe.skipIf(!hasChromium())('the documentation', () => {
  it('has no link that leads nowhere', () => {
    expect(site.loose).toEqual([])
  })

  it('is found by its search, and read by its links', async () => {
    const { page, complaints } = await open('', { width: 1440, colorScheme: 'light' })
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('createAgent')
    await page.getByRole('link', { name: 'Agents' }).and(page.locator('.found a')).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByText('Next').click()
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Resources' }).click()
    await page.getByRole('heading', { level: 1, name: 'Resources' }).waitFor()
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last().click()
    expect(new URL(page.url()).hash).not.toBe('')
    await page.getByRole('link', { name: '@sdk', exact: true }).click()
    await page.getByRole('link', { name: 'Create your first app' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('keeps the colors that were chosen', async () => {
    const { page } = await open('', { width: 1440, colorScheme: 'light' })
    await page.getByRole('button', { name: 'Use dark theme' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Use light theme' }).waitFor()
  })

  it('is read without JavaScript, also on a phone', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.goto(`${server.url}guide/agents.html`)
    await page.getByRole('button', { name: 'Contents' }).click()
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Streams' }).click()
    await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor()
    await page.close()
  })

  it('tells those who are lost', async () => {
    const answer = await fetch(`${server.url}no/such/page.html`)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Page not found')])
  })

  it.each(['', 'guide/streams.html', 'packages/redis.html', 'benchmarks.html'])(
    'has no fault that axe knows and no complaint, wide and narrow, in light and dark: /%s',
    async (path) => {
      const { page, complaints } = await open(path, { width: 1440, colorScheme: 'light' })
      expect(await findFaults(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.close()
    },
    120_000,
  )
})

/** Opens a page of the site, and notes what the browser complains of and whatever it asks of others. */
async function open(
  path: string,
  { width, colorScheme }: { width: number; colorScheme: 'light' | 'dark' },
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('request', (request) => request.url().startsWith(server.url) || complaints.push(request.url()))
  await page.goto(server.url + path)
  return { page, complaints }
}
