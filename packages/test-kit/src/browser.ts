import type { Browser } from 'playwright-core'
import { findChromium, findHeadlessShell } from './programs.ts'

export type { Browser, Page } from 'playwright-core'

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

/** Options for `launchBrowser`. */
export interface BrowserOptions {
  /** Whether to start full Chromium, in which background tabs are hidden. @default the value of `backForwardCache` */
  hasTabs?: boolean
  /** Whether to enable the back/forward cache, so that `goBack` restores a page without loading it. @default false */
  backForwardCache?: boolean
}

/** Starts the system's Chromium with an empty profile. It exits on `close()` or when this process exits. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { backForwardCache = false, hasTabs = backForwardCache } = options
  const executablePath = (hasTabs ? undefined : findHeadlessShell()) ?? findChromium()
  if (executablePath === undefined) throw new Error('Chromium not found: install the chromium package')
  // Playwright is imported lazily: it takes half a second to load, and most tests do not need a browser.
  const { chromium } = await import('playwright-core')
  const ignoreDefaultArgs = backForwardCache ? ['--disable-back-forward-cache'] : []
  return chromium.launch({ executablePath, args: FLAGS, ignoreDefaultArgs })
}
