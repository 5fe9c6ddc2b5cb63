import type { Browser } from './browser.ts'

/** A function that runs another function (not a method) in a page and resolves with its result. */
export type RunInPage = <In, Out>(work: (input: In) => Out | Promise<Out>, input: In) => Promise<Out>

/** A page that Playwright does not observe, and that can be hidden. */
export interface QuietPage {
  send(method: string, params?: object): Promise<Record<string, unknown>>
  readonly run: RunInPage
  /** Hides the page by opening another tab in front of it. `Page.bringToFront` shows the page again. */
  hide(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a page that Playwright does not observe. On its own pages, Playwright reports every frame of every socket,
 * which costs far more than receiving the frame.
 */
export async function openQuietPage(browser: Browser, url: string): Promise<QuietPage> {
  const devtools = await browser.newBrowserCDPSession()
  // Playwright does not observe pages in a context that it did not create.
  const { browserContextId } = await devtools.send('Target.createBrowserContext')
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId })
  const waiting = new Map<number, (answer: DevtoolsMessage) => void>()
  let last = 0
  const loaded = new Promise<void>((resolve) => {
    devtools.on('Target.receivedMessageFromTarget', ({ message }) => {
      const answer = JSON.parse(message) as DevtoolsMessage
      if (answer.method === 'Page.loadEventFired') resolve()
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
    })
  })

  const send: QuietPage['send'] = async (method, params = {}) => {
    const id = ++last
    const answered = new Promise<DevtoolsMessage>((resolve) => waiting.set(id, resolve))
    await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) })
    const { result, error } = await answered
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  const page: QuietPage = {
    send,
    async run(work, input) {
      const expression = `(${String(work)})(${JSON.stringify(input)})`
      const options = { expression, awaitPromise: true, returnByValue: true }
      const { result, exceptionDetails } = await send('Runtime.evaluate', options)
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
      return (result as { value: never }).value
    },
    async hide() {
      await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId })
    },
    async close() {
      await devtools.send('Target.disposeBrowserContext', { browserContextId })
      await devtools.detach()
    },
  }
  await send('Page.enable')
  await send('Page.navigate', { url })
  await loaded
  return page
}

interface DevtoolsMessage {
  readonly id?: number
  readonly method?: string
  readonly result?: Record<string, unknown>
  readonly error?: unknown
}
