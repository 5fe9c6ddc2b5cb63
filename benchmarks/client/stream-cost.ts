import { launchBrowser, openQuietPage, type Browser, type QuietPage } from '@sdk/test-kit'

/** The cost of a stream in a page. */
export interface StreamCost {
  /** CPU time of the page's main thread in ms. */
  readonly busy: number
  /** The time from the start until all chunks were shown, in ms. */
  readonly took: number
  readonly frames: number
  readonly renders: number
  /** The maximum number of renders between two frames. */
  readonly most: number
  /** The longest time without a frame, in ms. */
  readonly longest: number
}

declare global {
  interface Window {
    readonly bench: (count: number) => Promise<Omit<StreamCost, 'busy' | 'took'>>
  }
}

/** A page that did not show its whole stream in time, and the CPU time of its process in ms. */
export interface Unfinished {
  readonly used: number
  /** Whether the page was unresponsive for a second. */
  readonly isFrozen: boolean
}

/** Opens a page in a new browser and lets it read its stream. */
export async function costOfStream(url: string, count: number, limitMs: number): Promise<StreamCost | Unfinished> {
  const browser = await launchBrowser()
  try {
    const page = await openQuietPage(browser, url)
    // The CPU time of the thread: it does not depend on other load.
    await page.send('Performance.enable', { timeDomain: 'threadTicks' })
    const before = await readBusy(page)
    const started = performance.now()
    const figures = await within(
      limitMs,
      page.run((all: number) => window.bench(all), count),
    )
    if (figures === null) {
      const answer = await within(
        1000,
        page.run(() => true, null),
      )
      return { used: await pagesCpu(browser), isFrozen: answer === null }
    }
    const took = performance.now() - started
    return { ...figures, took, busy: (await readBusy(page)) - before }
  } finally {
    await browser.close()
  }
}

/** Returns the CPU time of the main thread in ms. */
async function readBusy(page: QuietPage): Promise<number> {
  // Includes the last paint and its cleanup.
  await page.run(() => new Promise((resolve) => setTimeout(resolve, 100)), null)
  const { metrics } = (await page.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
  const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value
  return (seconds ?? Number.NaN) * 1000
}

/** Returns the CPU time of all page processes in ms. */
async function pagesCpu(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  const pages = processInfo.filter(({ type }) => type === 'renderer')
  return pages.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0)
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)))
  work.catch(() => {}) // the browser was closed meanwhile
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
