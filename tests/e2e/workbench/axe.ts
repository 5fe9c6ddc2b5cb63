import { createRequire } from 'node:module'
import type { Page } from '@sdk/test-kit'

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly target: readonly string[] }[]
  }[]
}

/** What axe has to say about a page: nothing, if it is well. */
export async function findViolations(page: Page): Promise<string[]> {
  // Through the protocol: the page itself lets no script in from elsewhere.
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  const session = await page.context().newCDPSession(page)
  const { readFileSync } = await import('node:fs')
  await session.send('Runtime.evaluate', { expression: readFileSync(axe, 'utf8') })
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'axe.run(document, { resultTypes: ["violations"] })',
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
