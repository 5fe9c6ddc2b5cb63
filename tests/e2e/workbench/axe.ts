import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@sdk/test-kit'
import type { AxeResults, RunOptions } from 'axe-core'
import { choose } from '../../chaos/mode.ts'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

const CONTRAST = 'color-contrast'
/** Colors do not depend on the width, and take most of the time. */
const COLOURS: RunOptions = { runOnly: [CONTRAST] }
const OTHERS: RunOptions = { rules: { [CONTRAST]: { enabled: false } } }

/** Later entries of tables and lists, which differ only in their data. A full run examines them, too. */
const REPEATED = choose([], ['tr:nth-child(n + 7)', 'li:nth-child(n + 9)'])

/** The number of times that a page was examined. */
const turns = new WeakMap<Page, number>()

/** Shows a page in a theme. */
type Paint = (theme: 'light' | 'dark') => Promise<void>

/** How to look at a page. */
export interface Look {
  /** @default emulates the setting of the system */
  readonly paint?: Paint
  /** Selects parts that are the same on a page that was examined before. @default none */
  readonly known?: string | undefined
  /** Selects the only part that is examined. @default the document */
  readonly part?: string | undefined
}

/**
 * Returns the violations that axe finds in a page, wide and narrow, in light and dark. Horizontal scrolling is one too.
 */
export async function findFaults(page: Page, look: Look = {}): Promise<string[]> {
  const { paint = (colorScheme) => page.emulateMedia({ colorScheme }), known, part = 'html' } = look
  const faults: string[] = []
  await loadAxe(page)
  // Colors take most of the time. A short run examines them in both themes on the first page, then in turn.
  const turn = turns.get(page) ?? 0
  turns.set(page, turn + 1)
  const isInTurn = (theme: number): boolean => turn === 0 || turn % 2 === theme || choose(true, false)
  if (isInTurn(1)) {
    await paint('dark')
    await examine('dark', COLOURS)
  }
  await paint('light')
  await examine('light', isInTurn(0) ? {} : OTHERS)
  await page.setViewportSize(NARROW)
  // The width changes mainly the frame, so a short run examines it once.
  if (known === undefined || choose(true, false)) await examine('narrow', OTHERS)
  else add('narrow', await findOverflow(page))
  await page.setViewportSize(WIDE)
  return faults

  async function examine(where: string, options: RunOptions): Promise<void> {
    const exclude = [...REPEATED, ...(known === undefined ? [] : [known])]
    add(where, await runAxe(page, { include: [part], exclude }, options))
    add(where, await findOverflow(page))
  }

  function add(where: string, found: readonly string[]): void {
    faults.push(...found.map((fault) => `${where}: ${fault}`))
  }
}

async function runAxe(
  page: Page,
  context: { include: readonly string[]; exclude: readonly string[] },
  options: RunOptions,
): Promise<string[]> {
  const violations = await page.evaluate(
    async ([where, settings]) => {
      const { axe } = globalThis as unknown as { axe: { run(on: object, how: object): Promise<AxeResults> } }
      return (await axe.run(where, settings)).violations
    },
    [context, { resultTypes: ['violations'], ...options }] as const,
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
