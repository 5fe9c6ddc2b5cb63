import { hasChromium, shareBrowser, temporaryFolder, type Browser, type Page } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite, type Site } from '../../docs/site/build.ts'
import { placeOf } from '../../docs/site/place.ts'
import { serveSite, type RunningSite } from '../../docs/site/serve.ts'
import { choose } from '../chaos/mode.ts'
import { findFaults } from './workbench/axe.ts'

/** The front page, a page with code and a table, one with charts, and in a full run one of a package. */
const PAGES = ['', 'guide/streams.html', 'benchmarks.html', ...choose(['packages/redis.html'], [])]
/** The number of charts that are examined; they differ only in their data. */
const CHARTS = choose(Infinity, 3)

let site: Site
let server: RunningSite
let browser: Browser
beforeAll(async () => {
  const out = temporaryFolder('docs').path
  // A short run examines the colors of no other pages.
  site = await buildSite({ out, isColored: (source) => choose(true, PAGES.includes(placeOf(source))) })
  server = await serveSite({ port: 0, out })
  browser = await shareBrowser()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

describe.skipIf(!hasChromium())('documentation site', () => {
  it('has no broken links', () => {
    expect(site.loose).toEqual([])
  })

  it('can be navigated by search and by links', async () => {
    const { page, errors } = await open('', { width: 1440, colorScheme: 'light' })
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
    expect(errors).toEqual([])
  })

  it('keeps the chosen theme over a reload', async () => {
    const { page } = await open('', { width: 1440, colorScheme: 'light' })
    await page.getByRole('button', { name: 'Use dark theme' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Use light theme' }).waitFor()
  })

  it('works without JavaScript on a narrow screen', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.goto(`${server.url}guide/agents.html`)
    await page.getByRole('button', { name: 'Contents' }).click()
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Streams' }).click()
    await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor()
    await page.close()
  })

  it('returns 404 for a missing page', async () => {
    const response = await fetch(`${server.url}no/such/page.html`)
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('Page not found')])
  })

  it.each(PAGES)(
    'has no axe violations and no console errors, wide and narrow, in light and dark: /%s',
    async (path) => {
      const { page, errors } = await open(path, { width: 1440, colorScheme: 'light' })
      await removeCharts(page)
      const isFirst = path === PAGES[0]
      expect(await findFaults(page, { known: isFirst ? undefined : '#contents' })).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    },
    120_000,
  )
})

/** Removes the charts that are not examined. */
async function removeCharts(page: Page): Promise<void> {
  await page.evaluate((count) => {
    for (const chart of [...document.querySelectorAll('figure.chart')].slice(count)) chart.remove()
  }, CHARTS)
}

/** Opens a page of the site, and records console errors and requests to other hosts. */
async function open(
  path: string,
  { width, colorScheme }: { width: number; colorScheme: 'light' | 'dark' },
): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('request', (request) => request.url().startsWith(server.url) || errors.push(request.url()))
  await page.goto(server.url + path)
  return { page, errors }
}
