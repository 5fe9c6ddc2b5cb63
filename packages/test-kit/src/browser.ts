import type { Browser as WholeBrowser, BrowserContext } from 'playwright-core'
import { findChromium, findHeadlessShell } from './programs.ts'

export type { Page } from 'playwright-core'

/** A browser, with the members that tests use. */
export type Browser = Pick<WholeBrowser, 'newContext' | 'newPage' | 'newBrowserCDPSession' | 'close'>

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The time that an action in a page may take: a very busy machine is slow. */
const PATIENCE_MS = 120_000

/** Options for `launchBrowser`. */
export interface BrowserOptions {
  /** Whether to start full Chromium, in which background tabs are hidden. @default the value of `backForwardCache` */
  hasTabs?: boolean
  /** Whether to enable the back/forward cache, so that `goBack` restores a page without loading it. @default false */
  backForwardCache?: boolean
}

/** Starts the system's Chromium with an empty profile. It exits on `close()` or when this process exits. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<WholeBrowser> {
  const { backForwardCache = false, hasTabs = backForwardCache } = options
  const executablePath = (hasTabs ? undefined : findHeadlessShell()) ?? findChromium()
  if (executablePath === undefined) throw new Error('Chromium not found: install the chromium package')
  // Playwright is imported lazily: it takes half a second to load, and most tests do not need a browser.
  const { chromium } = await import('playwright-core')
  const ignoreDefaultArgs = backForwardCache ? ['--disable-back-forward-cache'] : []
  return chromium.launch({ executablePath, args: FLAGS, ignoreDefaultArgs })
}

const shared = new Map<string, WholeBrowser>()

/**
 * Returns a browser that the test files in a process share, since starting one takes a second of CPU time. It has
 * separate storage for each context, and `close` closes only the contexts that were opened with it. Scripts get their
 * own one, since it would keep their process running.
 */
export async function shareBrowser(options: BrowserOptions = {}): Promise<Browser> {
  if (process.env['VITEST'] === undefined) return launchBrowser(options)
  const { backForwardCache = false, hasTabs = backForwardCache } = options
  const key = JSON.stringify({ backForwardCache, hasTabs })
  const running = shared.get(key)
  const browser = running?.isConnected() === true ? running : await launchBrowser(options)
  shared.set(key, browser)
  const contexts: BrowserContext[] = []
  const newContext: Browser['newContext'] = async (settings) => {
    const context = await browser.newContext(settings)
    context.setDefaultTimeout(PATIENCE_MS)
    contexts.push(context)
    return context
  }
  return {
    newContext,
    async newPage(settings) {
      const context = await newContext(settings)
      const page = await context.newPage()
      page.once('close', () => void context.close())
      return page
    },
    newBrowserCDPSession: () => browser.newBrowserCDPSession(),
    async close() {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
    },
  }
}
