import type { Page } from '@sdk/test-kit'
import axe, { type AxeResults } from 'axe-core'

/** What axe has to say about a page, or about its colours alone: nothing, if it is well. */
export async function findViolations(page: Page, of: 'everything' | 'colours' = 'everything'): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(of === 'colours' && { runOnly: ['color-contrast'] }) }
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
