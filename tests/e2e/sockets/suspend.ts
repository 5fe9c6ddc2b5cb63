import type { Browser } from '@sdk/test-kit'

/** The processes of all pages that are open. */
export interface Pages {
  /** Stops them, as a machine that sleeps does. */
  suspend(): void
  resume(): void
}

/** Finds them; to find them takes a while, to stop them does not. */
export async function findPages(browser: Browser): Promise<Pages> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  await devtools.detach()
  const signal = (name: NodeJS.Signals): void => {
    for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, name)
  }
  return { suspend: () => signal('SIGSTOP'), resume: () => signal('SIGCONT') }
}
