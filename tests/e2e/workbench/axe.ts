import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@sdk/test-kit'
import type { AxeResults, RunOptions } from 'axe-core'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

const CONTRAST = 'color-contrast'
/** Colors do not depend on the width, and take most of the time. */
const COLOURS: RunOptions = { runOnly: [CONTRAST] }
const OTHERS: RunOptions = { rules: { [CONTRAST]: { enabled: false } } }

/** Shows a page in a theme. */
type Paint = (theme: 'light' | 'dark') => Promise<void>

/**
 * Returns the violations that axe finds in a page, wide and narrow, in light and dark. Horizontal scrolling is one too.
 */
export async function findFaults(
  page: Page,
  paint: Paint = (colorScheme) => page.emulateMedia({ colorScheme }),
): Promise<string[]> {
  const faults: string[] = []
  await loadAxe(page)
  await paint('dark')
  await look('dark', COLOURS)
  await paint('light')
  await look('light', {})
  await page.setViewportSize(NARROW)
  await look('narrow', OTHERS)
  await page.setViewportSize(WIDE)
  return faults

  async function look(where: string, options: RunOptions): Promise<void> {
    const found = [...(await runAxe(page, options)), ...(await findOverflow(page))]
    faults.push(...found.map((fault) => `${where}: ${fault}`))
  }
}

async function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  const violations = await page.evaluate(
    async (settings) => {
      const { axe } = globalThis as unknown as { axe: { run(on: Document, how: object): Promise<AxeResults> } }
      return (await axe.run(document, settings)).violations
    },
    { resultTypes: ['violations'], ...options },
  )
  return violations.map(({ id, nodes }) => {
    const targets = nodes.slice(0, 5).map(({ target }) => target.join(' '))
    return `${id}: ${targets.join(', ')}`
  })
}

/** Loads axe once into a document. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return
  // Through the debugging protocol: the page itself blocks foreign scripts.
  const session = await page.context().newCDPSession(page)
  const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  await session.send('Runtime.evaluate', { expression: readFileSync(file, 'utf8') })
  await session.detach()
}

async function findOverflow(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return pixels > 0 ? [`scrolls sideways by ${pixels} px`] : []
}
