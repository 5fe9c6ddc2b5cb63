import { launchBrowser, openQuietPage, type Browser, type QuietPage } from '@sdk/test-kit'

/** What a stream cost a page. */
export interface StreamCost {
  /** CPU of the page's main thread in ms. */
  readonly busy: number
  /** From its start until all of it was shown, in ms. */
  readonly took: number
  readonly frames: number
  readonly renders: number
  /** The most renders between two frames. */
  readonly most: number
  /** The longest time without a frame in ms. */
  readonly longest: number
}

declare global {
  interface Window {
    readonly bench: (count: number) => Promise<Omit<StreamCost, 'busy' | 'took'>>
  }
}

/** A page that had not shown all of its stream in time, and what CPU its process had used in ms. */
export interface Unfinished {
  readonly used: number
  /** It did not even answer a question within a second. */
  readonly isFrozen: boolean
}

/** Lets a page of a new browser take its stream. */
export async function costOfStream(url: string, count: number, limitMs: number): Promise<StreamCost | Unfinished> {
  const browser = await launchBrowser()
  try {
    const page = await openQuietPage(browser, url)
    // The time of the thread itself: that others use the same processors does not count.
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

/** CPU of the main thread so far in ms. */
async function readBusy(page: QuietPage): Promise<number> {
  // What was painted last, and what is cleaned up after it, belong to it.
  await page.run(() => new Promise((resolve) => setTimeout(resolve, 100)), null)
  const { metrics } = (await page.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
  const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value
  return (seconds ?? Number.NaN) * 1000
}

/** CPU of the processes of all pages so far in ms. */
async function pagesCpu(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  const pages = processInfo.filter(({ type }) => type === 'renderer')
  return pages.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0)
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)))
  work.catch(() => {}) // where the browser is closed over it
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
