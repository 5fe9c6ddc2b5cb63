import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import {
  type Browser,
  freePort,
  hasChromium,
  shareBrowser,
  type NodeProcess,
  type Page,
  spawnNode,
  startProcess,
  temporaryFolder,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, SDK, URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

const run = promisify(execFile)
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

function createProject(): DemoProject {
  const project = createDemoProject()
  project.write('src/web/public/assets/my-document.txt', 'keeps its name')
  project.write('src/web/public/.secret', 'hidden')
  project.write('src/web/public/around.html', '<link rel="icon" href="data:," /><iframe src="/"></iframe>')
  project.write('sdk.config.ts', 'export default { vite: { build: { sourcemap: true } } }\n')
  return project
}

/** Returns the files below a folder with their contents. */
function contentOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  )
}

/** Returns the files that differ. Comparing byte by byte, as `toEqual` does, takes half a minute. */
function differing(one: Map<string, Buffer>, two: Map<string, Buffer>): string[] {
  return [...new Set([...one.keys(), ...two.keys()])].filter((name) => {
    const [a, b] = [one.get(name), two.get(name)]
    return a === undefined || b === undefined || !a.equals(b)
  })
}

const project = createProject()
const dist = join(project.path, 'dist')
let printed = ''
beforeAll(async () => {
  const built = await build(project)
  if (built.code !== 0) throw new Error(built.output)
  printed = built.output
})

describe('sdk build', () => {
  it('prints the sizes of all files, plain and compressed', () => {
    const lines = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    expect(lines[0]).toBe('size gzip brotli')
    expect(lines[1]).toMatch(/^dist\/server [\d.]+ kB$/)
    expect(lines).toContainEqual(expect.stringMatching(/^dist\/web\/assets\/index-.{8}\.js( [\d.]+ kB){3}$/))
    expect(lines.at(-1)).toMatch(/^built in \d+ ms; run it with sdk start$/)
    expect(printed).not.toContain('\r')
  })

  it('contains no development code, no workbench, and no local paths', () => {
    const files = [...contentOf(dist)]
    const texts = files.filter(([name]) => !/\.(?:br|gz)$/.test(name)).map(([name, bytes]) => [name, bytes.toString()])
    const found = (pattern: RegExp | string): string[] =>
      texts
        .filter(([, text = '']) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)))
        .map(([name = '']) => name)
    expect(files.length).toBeGreaterThan(6)
    for (const path of [project.path, REPOSITORY, homedir() + '/', '/.build-', '/packages/cli'])
      expect([path, found(path)]).toEqual([path, []])
    expect(found(/@sdk\/workbench|react-refresh|jsxDEV|@vite\/client|import\.meta\.hot/)).toEqual([])
    expect(files.map(([name]) => name).filter((name) => name.startsWith('server/'))).toEqual([
      'server/index.js',
      'server/package.json',
      'server/server.js',
      'server/web-files.json',
      'server/workers.js',
    ])
    const manifest = { private: true, type: 'module', dependencies: {} }
    expect(JSON.parse(project.read('dist/server/package.json'))).toEqual(manifest)
  })

  it('writes source maps with paths relative to the project', () => {
    const map = [...contentOf(dist)].find(([name]) => name.endsWith('.js.map'))
    const { sources } = JSON.parse(String(map?.[1])) as { sources: string[] }
    expect(sources).toContain('src/web/App.tsx')
    expect(sources.filter((source) => /^[/.]/.test(source))).toEqual([])
  })

  it('is reproducible in another folder', async () => {
    const copy = createProject()
    expect(await sdkHere(copy.path, ['build'])).toEqual([0, expect.any(String)])
    expect(differing(contentOf(dist), contentOf(join(copy.path, 'dist')))).toEqual([])
  })

  it('prints the location of an error and keeps the last build', async () => {
    const before = contentOf(dist)
    project.edit('src/web/App.tsx', 'return <label>', 'return <label')
    const [code, output] = await sdkHere(project.path, ['build'])
    expect(code).toBe(1)
    expect(output).toMatch(/✗ src\/web\/App\.tsx:2:\d+/)
    expect(output).toMatch(/> 2 \| {3}return <label/)
    expect(output).toContain('the last build is still in dist')
    expect(differing(contentOf(dist), before)).toEqual([])
    expect(readdirSync(dist)).toEqual(['server', 'web'])
  })
})

describe('a built server', () => {
  let server: NodeProcess
  beforeAll(async () => {
    // In a separate folder and with another working directory: without the project and its packages.
    const { path } = temporaryFolder('alone')
    cpSync(dist, join(path, 'dist'), { recursive: true })
    const file = join(path, 'dist/server/index.js')
    server = await spawnNode({ file, cwd: '/', env: { PORT: '0', NODE_ENV: undefined }, ready: URL_LINE })
  })
  afterAll(() => server.kill())

  it('needs only Node and runs in production mode by default', async () => {
    expect(await (await fetch(`${server.url}/api/status`)).json()).toEqual({ status: 'ok' })
    // Agents are only described in development.
    expect((await fetch(`${server.url}/agent/hello`)).status).toBe(405)
    expect((await fetch(`${server.url}/agent/nope`, { method: 'POST' })).status).toBe(404)
    await server.waitFor(/^\{.*"listening"/m)
  })

  it('stores its compiled code for the next start on Node 22 and newer', async () => {
    const { path } = temporaryFolder('cached')
    cpSync(dist, join(path, 'dist'), { recursive: true })
    const index = join(path, 'dist/server/index.js')
    const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const check = async (): Promise<string> => (await run(process.execPath, [index, '--check'], { env })).stderr
    const storesCode = Number(process.versions.node.split('.')[0]) >= 22
    expect(await check()).not.toContain('was accepted')
    expect(existsSync(join(path, 'dist/server/.cache'))).toBe(storesCode)
    expect(/cache for .*server\.js.* was accepted/.test(await check())).toBe(storesCode)
  })

  it('sends hashed scripts compressed and immutable, and other files with no-cache', async () => {
    const page = await get('/deep/link')
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(page.body.toString()) ?? []
    const sent = await get(script, { 'accept-encoding': 'gzip, br' })
    expect(sent.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(sent.headers['cache-control']).toContain('immutable')
    expect(brotliDecompressSync(sent.body).toString()).toContain('Hello from the page')
    expect((await get('/assets/my-document.txt')).headers['cache-control']).toBe('no-cache')
    expect(page.headers['cache-control']).toBe('no-cache')
  })

  it.each([
    '/api/nope',
    '/agent/nope',
    '/ws/nope',
    '//api/nope',
    '/%61pi/nope',
    '/_workbench',
    '/.secret',
    '/x.js',
    '/../server/package.json',
  ])('returns 404 for %s', async (path) => {
    const { status, body } = await get(path, { accept: 'text/html' })
    expect([status, JSON.parse(body.toString())]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
  })

  describe.skipIf(!hasChromium())('in a browser', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await shareBrowser()
      return () => browser.close()
    })

    it('shows its page in a frame of the same origin without console errors', async () => {
      const { page, warnings } = await open(`${server.url}/around.html`)
      await page.frameLocator('iframe').getByText('Hello from the page').waitFor()
      expect(warnings).toEqual([])
    })

    it('does not show its page in a frame of another origin', async () => {
      const other = createServer((_, response) =>
        response.setHeader('content-type', 'text/html').end(`<iframe src="${server.url}/"></iframe>`),
      )
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      const { page, warnings } = await open(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
      expect(await page.frameLocator('iframe').getByText('Hello from the page').count()).toBe(0)
      expect(warnings.join()).toContain('frame-ancestors')
      other.close()
    })

    async function open(url: string): Promise<{ page: Page; warnings: string[] }> {
      const page = await browser.newPage()
      const warnings: string[] = []
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && warnings.push(message.text()))
      page.on('pageerror', (error) => warnings.push(String(error)))
      await page.goto(url)
      return { page, warnings }
    }
  })

  it('finishes a stream after SIGTERM', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ to: 5, pause: 30 })
    const response = await fetch(`${server.url}/agent/count`, { method: 'POST', headers, body })
    const ended = server.stop('SIGTERM')
    expect(await response.text()).toBe([1, 2, 3, 4, 5].map((n) => `{"n":${n}}\n`).join(''))
    expect((await ended).code).toBe(0)
  })

  async function get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: Buffer }> {
    const { hostname, port } = new URL(server.url)
    const sent = request({ hostname, port, path, headers, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(await response.toArray()) }
  }
})

describe('sdk start', () => {
  it('uses PORT and HOST, and prefers the flags of the command line', async () => {
    const [byEnvironment, byFlag] = [await freePort(), await freePort()]
    const env = { PORT: String(byEnvironment), HOST: '127.0.0.2' }
    const first = await spawnNode({ file: SDK, args: ['start'], cwd: join(project.path, 'src'), env, ready: URL_LINE })
    expect(first.url).toBe(`http://127.0.0.2:${byEnvironment}`)
    const args = ['start', '--port', String(byFlag), '--host=127.0.0.1']
    const second = await spawnNode({ file: SDK, args, cwd: project.path, env, ready: URL_LINE })
    expect(second.url).toBe(`http://127.0.0.1:${byFlag}`)
    expect(await (await fetch(`${second.url}/api/status`)).json()).toEqual({ status: 'ok' })
    await Promise.all([first.kill(), second.kill()])
  })

  it.each([
    [{ PORT: 'many' }, 'the port must be a number from 0 to 65535, got "many"'],
    [{ PORT: '0', HOST: '203.0.113.7' }, 'choose another address or port, for example HOST=0.0.0.0 PORT=4000'],
  ])('reports the error in %j and fails', async (env, expected) => {
    const running = await startProcess({ command: process.execPath, args: [SDK, 'start'], cwd: project.path, env })
    expect((await running.exited).code).toBe(1)
    expect(running.output()).toContain(expected)
    expect(running.output()).not.toContain('    at ')
  })

  it('reports a missing build', async () => {
    const { path } = createDemoProject()
    const running = await startProcess({ command: process.execPath, args: [SDK, 'start'], cwd: path })
    expect((await running.exited).code).toBe(1)
    expect(running.output()).toContain('run sdk build')
  })

  it('loads neither Vite nor any other command', async () => {
    const env = { PORT: '0', NODE_DEBUG: 'esm' }
    const server = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: /"url":"http:[^"]+/ })
    await server.kill()
    expect(server.output()).toContain('start-built.js')
    expect(server.output()).not.toMatch(/node_modules\/(?:vite|rolldown)|dev-command|packages\/server\/dist/)
  })
})
