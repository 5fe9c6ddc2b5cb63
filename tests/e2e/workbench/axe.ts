import type { Page } from '@sdk/test-kit'
import axe, { type AxeResults } from 'axe-core'

/** The width at which colours are checked: they do not depend on it, and take nine tenths of the time. */
export const WIDE = 1440

const CONTRAST = 'color-contrast'
const RULES = { colours: { runOnly: [CONTRAST] }, others: { rules: { [CONTRAST]: { enabled: false } } } } as const

/** How a page shows a theme. */
type Paint = (theme: 'light' | 'dark') => Promise<void>

/** Returns the faults that axe finds in a page, and in its colours in light and dark where the page is wide. */
export async function findFaults(
  page: Page,
  width: number,
  paint: Paint = (colorScheme) => page.emulateMedia({ colorScheme }),
): Promise<string[]> {
  const faults = await runAxe(page, 'others')
  for (const theme of width === WIDE ? (['dark', 'light'] as const) : []) {
    await paint(theme)
    for (const fault of await runAxe(page, 'colours')) faults.push(`${theme}: ${fault}`)
  }
  return faults
}

async function runAxe(page: Page, of: keyof typeof RULES): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...RULES[of] }
  // Through the protocol: the page itself lets no script in from elsewhere.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe.source })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)})`,
    awaitPromise: true,
    returnByValue: true,
  })
  const { violations } = result.value as AxeResults
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ target }) => target.join(' '))
        .slice(0, 5)
        .join(', ')}`,
  )
}
