import { type Browser, freePort, launchBrowser, type Page } from '@sdk/test-kit'
import type { DemoProject } from '../demo-project.ts'
import { createBenchProject } from './bench-project.ts'
import { startBench, type BenchServer } from './bench-server.ts'

/** How a page is looked at. */
export interface Look {
  /** In px. @default 1440 */
  readonly width?: number
}

/** A page of the workbench, and what it did that it should not. */
export interface Visit {
  readonly page: Page
  /** Errors and warnings in the console, but for answers that are no success. */
  readonly complaints: string[]
  /** Requests to other hosts. */
  readonly strangers: string[]
  /** Goes to a page as its links do, without a load, and waits until it stands still. */
  open(path: string): Promise<void>
  /** Shows the page in another theme. */
  paint(theme: 'light' | 'dark'): Promise<void>
}

/** A project under `sdk dev`, and a browser that holds the link. */
export interface Stage {
  readonly project: DemoProject
  /** The newest one. */
  readonly server: BenchServer
  /** Opens the workbench in a browser that has seen nothing. */
  visit(look?: Look): Promise<Visit>
  /** A page of such a browser. */
  blank(): Promise<Page>
  /** Calls a route of the app, as anybody would. */
  call(route: string, input?: unknown): Promise<Response>
  /** `kill -9`, and a new start in the same project. */
  killAndStart(): Promise<void>
  close(): Promise<void>
}

/** Starts a project that has something of everything. */
export async function openStage(): Promise<Stage> {
  const project = createBenchProject()
  const port = await freePort()
  const start = (): Promise<BenchServer> => startBench(project.path, ['--port', String(port)])
  let server = await start()
  let browser: Browser | undefined
  const openBlank = async (width = 1440): Promise<Page> => {
    browser ??= await launchBrowser()
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
  const complaints: string[] = []
  const strangers: string[] = []
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const target = new URL(request.url())
    const isOwn = target.origin === origin || ['data:', 'blob:'].includes(target.protocol)
    if (!isOwn) strangers.push(request.url())
  })
  await page.goto(link)
  return {
    page,
    complaints,
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
