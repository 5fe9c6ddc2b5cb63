import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { freePort, spawnNode, startProcess, temporaryFolder, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, SDK, URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

function createProject(): DemoProject {
  const project = createDemoProject()
  project.write('src/web/public/assets/my-document.txt', 'keeps its name')
  project.write('src/web/public/.secret', 'hidden')
  project.write('sdk.config.ts', 'export default { vite: { build: { sourcemap: true } } }\n')
  return project
}

/** The files below a folder, with what is in them. */
function contentOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  )
}

/** The files that are not the same in both. To compare bytes one by one, as `toEqual` does, takes half a minute. */
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
  it('tells the size of everything, as it is and as browsers load it, in plain lines', () => {
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

  it('holds no development code, no workbench, and no path of the machine that built it', () => {
    const files = [...contentOf(dist)]
    const texts = files.filter(([name]) => !/\.(?:br|gz)$/.test(name)).map(([name, bytes]) => [name, bytes.toString()])
    const found = (pattern: RegExp | string): string[] =>
      texts
        .filter(([, text = '']) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)))
        .map(([name = '']) => name)
    expect(files.length).toBeGreaterThan(6)
    for (const place of [project.path, REPOSITORY, homedir() + '/', '/.build-', '/packages/cli'])
      expect([place, found(place)]).toEqual([place, []])
    expect(found(/@sdk\/workbench|react-refresh|jsxDEV|@vite\/client|import\.meta\.hot/)).toEqual([])
    expect(files.map(([name]) => name).filter((name) => name.startsWith('server/'))).toEqual([
      'server/index.js',
      'server/package.json',
      'server/server.js',
    ])
  })

  it('gives maps whose sources are named from the project', () => {
    const map = [...contentOf(dist)].find(([name]) => name.endsWith('.js.map'))
    const { sources } = JSON.parse(String(map?.[1])) as { sources: string[] }
    expect(sources).toContain('src/web/App.tsx')
    expect(sources.filter((source) => /^[/.]/.test(source))).toEqual([])
  })

  it('makes the same bytes of the same sources, wherever they are', async () => {
    const copy = createProject()
    expect((await build(copy)).code).toBe(0)
    expect(differing(contentOf(dist), contentOf(join(copy.path, 'dist')))).toEqual([])
  })

  it('shows where a page is broken, and leaves the last build in place', async () => {
    const broken = createProject()
    expect((await build(broken)).code).toBe(0)
    const before = contentOf(join(broken.path, 'dist'))
    broken.edit('src/web/App.tsx', 'return <label>', 'return <label')
    const { code, output } = await build(broken)
    expect(code).toBe(1)
    expect(output).toMatch(/✗ src\/web\/App\.tsx:2:\d+/)
    expect(output).toMatch(/> 2 \| {3}return <label/)
    expect(output).toContain('the last build is still in dist')
    expect(differing(contentOf(join(broken.path, 'dist')), before)).toEqual([])
    expect(readdirSync(join(broken.path, 'dist'))).toEqual(['server', 'web'])
  })
})

describe('a built server', () => {
  let server: NodeProcess
  beforeAll(async () => {
    // Alone in a folder: nothing of the project, and no packages.
    const { path } = temporaryFolder('alone')
    cpSync(dist, join(path, 'dist'), { recursive: true })
    const file = join(path, 'dist/server/index.js')
    server = await spawnNode({ file, cwd: path, env: { PORT: '0', NODE_ENV: undefined }, ready: URL_LINE })
  })
  afterAll(() => server.kill())

  it('needs nothing but Node, and is in production unless it is told otherwise', async () => {
    expect(await (await fetch(`${server.url}/api/status`)).json()).toEqual({ status: 'ok' })
    // Agents describe themselves to those who develop.
    expect((await fetch(`${server.url}/agent/hello`)).status).toBe(405)
    await server.waitFor(/^\{.*"listening"/m)
  })

  it('sends the script compressed and for good, and what keeps its name for a moment', async () => {
    const page = await ask('/deep/link')
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(page.body.toString()) ?? []
    const sent = await ask(script, { 'accept-encoding': 'gzip, br' })
    expect(sent.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(sent.headers['cache-control']).toContain('immutable')
    expect(brotliDecompressSync(sent.body).toString()).toContain('Hello from the page')
    expect((await ask('/assets/my-document.txt')).headers['cache-control']).toBe('no-cache')
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
  ])('never answers %s with the page, or a file', async (path) => {
    const { status, body } = await ask(path, { accept: 'text/html' })
    expect([status, JSON.parse(body.toString())]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
  })

  async function ask(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: Buffer }> {
    const { hostname, port } = new URL(server.url)
    const asked = request({ hostname, port, path, headers, agent: false }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(await response.toArray()) }
  }
})

describe('sdk start', () => {
  it('honours PORT and HOST, and what is said on the command line before them', async () => {
    const [byEnvironment, byFlag] = [await freePort(), await freePort()]
    const env = { PORT: String(byEnvironment), HOST: '127.0.0.2' }
    const first = await spawnNode({ file: SDK, args: ['start'], cwd: join(project.path, 'src'), env, ready: URL_LINE })
    expect(first.url).toBe(`http://127.0.0.2:${byEnvironment}`)
    const args = ['start', '--port', String(byFlag), '--host=127.0.0.1']
    const second = await spawnNode({ file: SDK, args, cwd: project.path, env, ready: URL_LINE })
    expect(second.url).toBe(`http://127.0.0.1:${byFlag}`)
    await Promise.all([first.kill(), second.kill()])
  })

  it.each([
    [{ PORT: 'many' }, 'a port is a number from 0 to 65535, got "many"'],
    [{ PORT: '0', HOST: '203.0.113.7' }, 'choose another address or port, as in HOST=0.0.0.0 PORT=4000'],
  ])('says what is wrong with %j, and fails', async (env, expected) => {
    const running = await startProcess({ command: process.execPath, args: [SDK, 'start'], cwd: project.path, env })
    expect((await running.exited).code).toBe(1)
    expect(running.output()).toContain(expected)
    expect(running.output()).not.toContain('    at ')
  })

  it('asks for a build where there is none', async () => {
    const { path } = createDemoProject()
    const running = await startProcess({ command: process.execPath, args: [SDK, 'start'], cwd: path })
    expect((await running.exited).code).toBe(1)
    expect(running.output()).toContain('make one: sdk build')
  })

  it('loads neither Vite nor any other command', async () => {
    const env = { PORT: '0', NODE_DEBUG: 'esm' }
    const server = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: /"url":"http:[^"]+/ })
    await server.kill()
    expect(server.output()).toContain('start-built.js')
    expect(server.output()).not.toMatch(/node_modules\/(?:vite|rolldown)|dev-command|packages\/server\/dist/)
  })
})
