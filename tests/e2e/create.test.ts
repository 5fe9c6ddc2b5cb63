import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { type Browser, freePort, hasChromium, shareBrowser, type Page } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { findFixable, listProduction } from './create/audit.ts'
import { createApp, packCreate, type CreatedApp, type Packed, type RunningApp } from './create/created-app.ts'
import { visits } from './create/visits.ts'
import { sendCall } from './workbench/send-call.ts'

const WORKSPACE = join(import.meta.dirname, '../..')
/** Installing, building and compiling is slow on a busy machine. */
const timeout = 600_000
let packed: Packed
let browser: Browser | null = null
const created = new Map<string, CreatedApp>()
/** Builds the app of a template, and visits it in production. */
const visitsOfBuilds = new Map<string, (command: 'start' | 'node') => Promise<void>>()

type Test = (name: string, options: { timeout: number }, test: () => Promise<void>) => void

beforeAll(async () => {
  packed = await packCreate()
  if (hasChromium()) browser = await shareBrowser()
}, timeout)
afterAll(() => browser?.close())

describe.each(Object.entries(visits))('npm create @sdk with the template %s', (template, visit) => {
  const isSeen = hasChromium() || !visit.hasPage
  // The other templates have parts of the default one, so only a full run builds them.
  const isBuilt = template === 'default' || choose(true, false)
  const warnings: string[] = []
  let app: CreatedApp
  let response = ''
  let building: Promise<string> | undefined
  // Uses npm only once, since it takes a second longer.
  const build = (): Promise<string> =>
    (building ??= template === 'default' ? app.npm('run', 'build') : app.run('build'))
  let routeTypes = ''

  beforeAll(async () => {
    app = await createApp(template, packed, created.get('default'))
    created.set(template, app)
    routeTypes = app.read('src/sdk-routes.d.ts')
  }, timeout)

  it('prints the installation and the next commands', () => {
    const isInstalled = template === 'default'
    const installing = /Installing packages with npm …\n✓ Packages installed in [\d.]+ s\n/
    expect(installing.test(app.output)).toBe(isInstalled)
    const commands = isInstalled ? ['npm run dev', 'npm test'] : ['npm install', 'npm run dev']
    expect(app.output).toContain(`✓ my-app is ready. Now run:\n\n  cd my-app\n  ${commands.join('\n  ')}\n`)
  })

  it.skipIf(!isSeen)('runs in development and reloads after an edit', { timeout }, async () => {
    const running = await app.start('dev', { PORT: '0' })
    const page = await open(running)
    const before = await visit.callAgent(running, page)
    app.edit(...visit.edit)
    await running.running.waitFor(/↻ src\/agent/)
    const after = await visit.callAgent(running, page)
    expect(before).not.toContain(visit.newText)
    expect(after).toContain(visit.newText)
    await visit.explore?.(page)
    response = after
    await page.close()
    // The workbench is the same in each template, so only a full run opens it in all of them.
    const isOpened = template === 'default' || choose(true, false)
    const isRun = browser === null || !isOpened || (await runInWorkbench(browser, running))
    expect(isRun).toBe(true)
    expect(await running.running.stop('SIGINT')).toEqual({ code: 0, signal: null })
    expect(warnings).toEqual([])
  })

  it('compiles, has current route types, and passes its tests and sdk doctor', { timeout }, async () => {
    // All templates have the script `types`, which also loads the app. It runs in the smallest one.
    await app.run(template === 'minimal' ? 'types' : 'tsc')
    expect(await app.run('test')).toMatch(/[#ℹ] fail 0\n/)
    const doctor = isBuilt ? await app.run('sdk doctor') : ''
    expect(doctor).not.toContain('ROUTE_TYPES_STALE')
    // sdk dev or sdk types would have rewritten a stale file.
    expect(app.read('src/sdk-routes.d.ts')).toBe(routeTypes)
  })

  const testBuild: Test = isBuilt ? it : () => {}
  // The build of the default template is visited below, with plain Node.
  const testStart: Test = isBuilt && isSeen && template !== 'default' ? it : () => {}
  testStart('returns the same response in production', { timeout }, () => visitBuild('start'))

  visitsOfBuilds.set(template, visitBuild)
  async function visitBuild(command: 'start' | 'node'): Promise<void> {
    await build()
    const running = await app.start(command, await productionEnv())
    if (isSeen) await comeBack(running)
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${running.url}/_workbench`)).status).toBe(404)
    // The embedded database opens after the server listens.
    await vi.waitFor(async () => expect((await fetch(`${running.url}/readyz`)).status).toBe(200), { timeout: 60_000 })
    expect(await running.running.stop('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(warnings).toEqual([])
  }

  testBuild('builds without workbench, development code and local paths', { timeout }, async () => {
    await build()
    const files = app.list('dist').filter((file) => /\.(js|css|html|json|map)$/.test(file))
    expect(files.map((file) => relative(app.path, file))).toContain('dist/server/index.js')
    const unwanted = ['@sdk/workbench', '@sdk/cli', '@vite/', 'import.meta.hot', 'react-refresh', 'jsxDEV']
    const paths = [app.path, WORKSPACE, `${homedir()}/`, 'node_modules/']
    const found = files.flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      return [...unwanted, ...paths].filter((word) => text.includes(word)).map((word) => `${file}: ${word}`)
    })
    expect(found).toEqual([])
  })

  async function comeBack(running: RunningApp): Promise<void> {
    const page = await open(running)
    expect(await visit.callAgent(running, page)).toBe(response)
    await visit.comeBack?.(page)
    await page.close()
  }

  async function open({ url }: RunningApp): Promise<Page> {
    if (browser === null || !visit.hasPage) return { close: async () => {} } as unknown as Page
    const page = await browser.newPage()
    page.on('console', (message) => message.type() === 'error' && warnings.push(message.text()))
    page.on('pageerror', (error) => warnings.push(String(error)))
    await page.goto(url)
    await page.getByText('Your app is running').waitFor()
    return page
  }
})

describe('production dependencies of a created app', () => {
  const appOf = (template: string): CreatedApp => {
    const app = created.get(template)
    if (app === undefined) throw new Error(`no app was created from the template ${template}`)
    return app
  }
  const dependenciesOf = (template: string): string[] =>
    Object.keys((JSON.parse(appOf(template).read('package.json')) as { dependencies: object }).dependencies)

  // The tests below therefore apply to every template.
  it.each(Object.keys(visits))('of the template %s are included in those of the default template', (template) => {
    expect(dependenciesOf('default')).toEqual(expect.arrayContaining(dependenciesOf(template)))
  })

  it('include no build tools and no fixable vulnerabilities', { timeout }, async () => {
    const app = appOf('default')
    const production = listProduction(app)
    expect(production).toContain('@sdk/server')
    const tool = /^(@sdk\/(cli|workbench)|vite|rolldown|esbuild|tsx|typescript)$/
    expect(production.filter((name) => tool.test(name))).toEqual([])
    const fixable = await findFixable(app)
    if (fixable === null) console.log('npm audit: not supported by this registry')
    expect(fixable ?? []).toEqual([])
  })

  it('are sufficient to run the build with plain Node', { timeout }, async () => {
    const app = appOf('default')
    await app.npm('prune', '--omit=dev', '--no-audit')
    expect(existsSync(join(app.path, 'node_modules/vite'))).toBe(false)
    await visitsOfBuilds.get('default')?.('node')
  })
})

/** Opens the workbench, runs the first agent, and returns whether it has succeeded. */
async function runInWorkbench(tabs: Browser, { running }: RunningApp): Promise<boolean> {
  const page = await tabs.newPage()
  await page.goto(await running.waitFor(/http:\S+_workbench\?token=[\w-]{43}/))
  await page.getByRole('link', { name: 'Run an agent' }).click()
  const status = await sendCall(page, /^Run/)
  await page.close()
  return status === 200
}

async function productionEnv(): Promise<Record<string, string>> {
  const port = await freePort()
  return {
    PORT: String(port),
    DATABASE_URL: 'pglite://.sdk/data',
    AUTH_URL: `http://127.0.0.1:${port}`,
    AUTH_SECRET: 'only-for-this-test-only-for-this-test',
  }
}
