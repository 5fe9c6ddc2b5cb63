import { type Browser, freePort, shareBrowser, type Page } from '@sdk/test-kit'
import type { DemoProject } from '../demo-project.ts'
import { createBenchProject } from './bench-project.ts'
import { startBench, type BenchServer } from './bench-server.ts'

/** Options for a page. */
export interface Look {
  /** In px. @default 1440 */
  readonly width?: number
}

/** A page of the workbench, and its unexpected events. */
export interface Visit {
  readonly page: Page
  /** Errors and warnings in the console, except for unsuccessful responses. */
  readonly warnings: string[]
  /** Requests to other hosts. */
  readonly strangers: string[]
  /** Navigates like a link, without a page load, and waits until the page is stable. */
  open(path: string): Promise<void>
  /** Switches the theme of the page. */
  paint(theme: 'light' | 'dark'): Promise<void>
}

/** A project with `sdk dev`, and a browser that has opened the link. */
export interface Stage {
  readonly project: DemoProject
  /** The newest process. */
  readonly server: BenchServer
  /** Opens the workbench in a new browser. */
  visit(look?: Look): Promise<Visit>
  /** Opens a page in such a browser. */
  blank(): Promise<Page>
  /** Calls a route of the app, like any client. */
  call(route: string, input?: unknown): Promise<Response>
  /** Sends `kill -9`, and starts the project again. */
  killAndStart(): Promise<void>
  close(): Promise<void>
}

/** Starts a project, by default one with all kinds of definitions, on a database, by default the embedded one. */
export async function openStage(project: DemoProject = createBenchProject(), database?: string): Promise<Stage> {
  const port = await freePort()
  const env = database === undefined ? {} : { DATABASE_URL: database }
  const start = (): Promise<BenchServer> => startBench(project.path, ['--port', String(port)], env)
  let server = await start()
  let browser: Browser | undefined
  const openBlank = async (width = 1440): Promise<Page> => {
    browser ??= await shareBrowser()
    return (await browser.newContext({ viewport: { width, height: 900 } })).newPage()
  }

  return {
    project,
    get server() {
      return server
    },
    visit: async ({ width } = {}) => openVisit(await openBlank(width), server.link),
    blank: () => openBlank(),
    async call(route, input) {
      const [method = 'GET', path = '/'] = route.split(' ')
      const headers = { 'content-type': 'application/json' }
      const body = input === undefined ? {} : { headers, body: JSON.stringify(input) }
      return fetch(server.url + path, { method, ...body })
    },
    async killAndStart() {
      await server.kill()
      server = await start()
    },
    async close() {
      await browser?.close()
      await server.kill()
    },
  }
}

async function openVisit(page: Page, link: string): Promise<Visit> {
  const { origin } = new URL(link)
  const warnings: string[] = []
  const strangers: string[] = []
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) warnings.push(message.text())
  })
  page.on('pageerror', (error) => warnings.push(String(error)))
  page.on('request', (request) => {
    const target = new URL(request.url())
    const isOwn = target.origin === origin || ['data:', 'blob:'].includes(target.protocol)
    if (!isOwn) strangers.push(request.url())
  })
  await page.goto(link)
  return {
    page,
    warnings,
    strangers,
    async open(path) {
      // The router of the page follows the history.
      await page.evaluate((to) => history.pushState(null, '', to), `/_workbench${path}`)
      await page.locator('main').getByRole('heading').first().waitFor()
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    },
    paint: (theme) =>
      page.evaluate((name) => {
        document.documentElement.dataset['theme'] = name
      }, theme),
  }
}
