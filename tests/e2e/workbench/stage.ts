import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, freePort, launchBrowser, type NodeProcess, type Page, spawnNode } from '@sdk/test-kit'
import type { DemoProject } from '../demo-project.ts'
import { createBenchProject } from './bench-project.ts'

const SDK = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')
const LINK = /http:\/\/\S+\/_workbench\?token=\S+/

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
  /** Goes to a page, and waits until it stands still. */
  open(path: string): Promise<void>
  /** Shows the page in another theme. */
  paint(theme: 'light' | 'dark'): Promise<void>
}

/** A project under `sdk dev`, and a browser that holds the link. */
export interface Stage {
  readonly project: DemoProject
  readonly url: string
  /** The link that opens the workbench. */
  link(): string
  visit(look?: Look): Promise<Visit>
  /** A page of a browser that has seen nothing. */
  blank(): Promise<Page>
  /** Closes all pages. Each of them follows every run, which slows down the next test. */
  closePages(): Promise<void>
  /** Calls a route of the app, as anybody would. */
  call(route: string, input?: unknown, headers?: Record<string, string>): Promise<Response>
  /** `kill -9`, and a new start in the same project. */
  killAndStart(): Promise<void>
  close(): Promise<void>
}

/** Starts a project that has something of everything. */
export async function openStage(): Promise<Stage> {
  const project = createBenchProject()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const browser = await launchBrowser()
  let server = await start(project, port)

  return {
    project,
    url,
    link: () => LINK.exec(server.output())?.[0] ?? '',
    blank: async () => (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage(),
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
    visit: (look) => openVisit(browser, LINK.exec(server.output())?.[0] ?? '', look),
    async call(route, input, headers = {}) {
      const [method = 'GET', path = '/'] = route.split(' ')
      const body = input === undefined ? {} : { body: JSON.stringify(input) }
      const type = input === undefined ? {} : { 'content-type': 'application/json' }
      return fetch(url + path, { method, headers: { ...type, ...headers }, ...body })
    },
    async killAndStart() {
      await server.kill()
      server = await start(project, port)
    },
    async close() {
      await browser.close()
      await server.kill()
    },
  }
}

async function start(project: DemoProject, port: number): Promise<NodeProcess> {
  const args = ['dev', '--port', String(port)]
  const server = await spawnNode({ file: SDK, args, cwd: project.path, ready: LINK })
  await server.waitFor(/ready in/)
  return server
}

async function openVisit(browser: Browser, link: string, { width = 1440 }: Look = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height: 900 } })
  const page = await context.newPage()
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
      await page.goto(`${origin}/_workbench${path}`)
      await page.locator('main').getByRole('heading').first().waitFor()
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    },
    paint: (theme) =>
      page.evaluate((name) => {
        document.documentElement.dataset['theme'] = name
      }, theme),
  }
}
