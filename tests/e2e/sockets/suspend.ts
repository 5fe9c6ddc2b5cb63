import type { Browser } from '@sdk/test-kit'

/** The processes of all open pages. */
export interface Pages {
  /** Suspends them, like a sleeping machine. */
  suspend(): void
  resume(): void
}

/** Finds the processes in advance, since that takes a while. */
export async function findPages(browser: Browser): Promise<Pages> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  await devtools.detach()
  const signal = (name: NodeJS.Signals): void => {
    for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, name)
  }
  return { suspend: () => signal('SIGSTOP'), resume: () => signal('SIGCONT') }
}
