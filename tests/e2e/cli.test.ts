import { createServer } from 'node:net'
import { freePort, hasChromium, shareBrowser, spawnNode, startProcess, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

/** An `onStart` that fails. */
const AWAY = `() => { throw new Error('the queue is away') }`

/** A page with state of React, and with the response of an agent. */
const PAGE = `import { SdkProvider, useAPI } from '@sdk/react'

export function App() {
  return <SdkProvider><Hello /></SdkProvider>
}

function Hello() {
  const { data, invoke } = useAPI('POST /agent/count')
  return (
    <>
      <label>Hello from the page <input /></label>
      <button onClick={() => invoke({ to: 2 })}>Count</button>
      <output>{data?.map(({ n }) => n).join(' and ')}</output>
    </>
  )
}
`

describe('sdk dev', () => {
  const project = createDemoProject()
  const other = createServer()
  let taken: number
  let server: NodeProcess

  beforeAll(async () => {
    taken = await freePort()
    project.write('sdk.config.ts', 'export default { rateLimit: false }\n')
    await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve))
    server = await spawnNode({
      file: SDK,
      args: ['dev'],
      cwd: project.path,
      env: { PORT: String(taken) },
      ready: URL_LINE,
    })
  })
  afterAll(async () => {
    other.close()
    await server.kill()
  })

  it('uses the next free port if the requested port is in use, and prints a warning', () => {
    expect(server.url).not.toContain(String(taken))
    expect(server.output()).toContain(`! port ${taken} is in use: using port ${new URL(server.url).port}\n`)
  })

  it('prints the URLs of the app and the workbench, and the start time', async () => {
    await server.waitFor(/ready in \d+ ms/)
    expect(server.output().match(/http:\S+/g)).toEqual([server.url, linkOf(server)])
  })

  it('serves agents, routes and the page on one port', async () => {
    expect(await call(server, 'POST /agent/count', { to: 2 })).toEqual([200, '{"n":1}\n{"n":2}\n'])
    expect(await call(server, 'GET /api/status')).toEqual([200, '{"status":"ok"}'])
    expect(await page(server, '/')).toContain('<div id="root">')
    expect(await page(server, '/some/page')).toContain('<div id="root">')
    expect(await call(server, 'GET /missing.js')).toMatchObject([404, expect.stringContaining('NOT_FOUND')])
  })

  it('runs the new code after every save without failing a request', async () => {
    const load = keepCalling(server, 'POST /agent/hello')
    for (const word of ['one', 'two', 'three']) {
      project.write('src/agent/hello/words.ts', `export const word = '${word}'\n`)
      await until(server, 'POST /agent/hello', `"${word}"`)
    }
    expect(await load.stop()).toEqual([200])
  })

  it('detects a second save right after the first', async () => {
    project.write('src/agent/hello/words.ts', `export const word = 'first'\n`)
    await until(server, 'POST /agent/hello', '"first"')
    project.write('src/agent/hello/words.ts', `export const word = 'formatted'\n`)
    await until(server, 'POST /agent/hello', '"formatted"')
    expect(server.output()).toContain('src/agent/hello/words.ts')
  })

  it('continues a stream that started before a save', async () => {
    const stream = await beginCounting(server, { to: 8, pause: 40 })
    project.edit('src/agent/count/index.ts', 'yield { n }', 'yield { m: n }')
    await until(server, 'POST /agent/count', '{"m":1}')
    expect(await stream.rest()).toContain('{"n":8}')
    project.edit('src/agent/count/index.ts', 'yield { m: n }', 'yield { n }')
  })

  it('returns LOAD_FAILED for the agent of a broken file and keeps the other routes', async () => {
    project.edit('src/agent/hello/index.ts', 'handler:', 'handler::')
    // Waits for this error: the file may be read while it is being written, and empty.
    await until(server, 'POST /agent/hello', 'index.ts:4:')
    const [status, text] = await call(server, 'POST /agent/hello')
    expect(status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({
      error: {
        code: 'LOAD_FAILED',
        message: expect.stringMatching(/^src\/agent\/hello\/index\.ts:4:\d+ failed to load: /),
        details: [{ file: 'src/agent/hello/index.ts', line: 4, frame: expect.stringContaining('> 4 | ') }],
      },
    })
    expect(await call(server, 'GET /api/status')).toMatchObject([200, '{"status":"ok"}'])
    await server.waitFor(/> 4 \| export default createAgent\('hello'/)

    project.edit('src/agent/hello/index.ts', 'handler::', 'handler:')
    await until(server, 'POST /agent/hello', '"formatted"')
  })

  it('returns an error for a broken API and recovers when the missing file is added', async () => {
    project.edit('src/api/index.ts', '// imports', `import './later.ts'`)
    await until(server, 'GET /api/status', 'file not found: ./later.ts')
    expect(await call(server, 'POST /agent/hello')).toMatchObject([200, '"formatted"'])
    project.write('src/api/later.ts', 'export {}\n')
    await until(server, 'GET /api/status', 'ok')
  })

  it('adds new agents, removes deleted ones, and updates the route types', async () => {
    project.write(
      'src/agent/extra/agent.ts',
      `import { createAgent } from '@sdk/server'\n\nexport default createAgent('extra', { handler: () => 'here' })\n`,
    )
    await until(server, 'POST /agent/extra', '"here"')
    expect(project.read('src/sdk-routes.d.ts')).toContain(
      `'POST /agent/extra': typeof import('./agent/extra/agent.ts').default`,
    )
    project.remove('src/agent/extra')
    await until(server, 'POST /agent/extra', 'NOT_FOUND')
    expect(project.read('src/sdk-routes.d.ts')).not.toContain('extra')
  })

  it.skipIf(!hasChromium())(
    'hot-reloads a component, shows errors in an overlay, and opens the workbench',
    async () => {
      const browser = await shareBrowser()
      const tab = await browser.newPage()
      const hosts = new Set<string>()
      tab.on('request', (request) => void hosts.add(new URL(request.url()).origin))

      project.write('src/web/App.tsx', PAGE)
      // The page misses changes before it is connected.
      const isListening = tab.waitForEvent('console', (message) => message.text().includes('[vite] connected'))
      await tab.goto(server.url)
      await tab.getByText('Hello from the page').waitFor()
      await isListening
      await tab.getByRole('textbox').fill('kept')
      await tab.getByRole('button').click()
      await tab.getByText('1 and 2').waitFor()
      project.edit('src/web/App.tsx', 'Hello from the page', 'Hello again')
      await tab.getByText('Hello again').waitFor()
      expect(await tab.getByRole('status').textContent()).toBe('1 and 2')
      const overlay = tab.locator('vite-error-overlay')
      project.edit('src/agent/hello/index.ts', 'handler:', 'handler::')
      await overlay.getByText('src/agent/hello/index.ts:4').waitFor()
      project.edit('src/agent/hello/index.ts', 'handler::', 'handler:')
      await overlay.waitFor({ state: 'detached' })
      project.edit('src/api/index.ts', `'ok' }))`, `'ok' })).onStart(${AWAY})`)
      await overlay.getByText('onStart failed: the queue is away').waitFor()
      await overlay.getByText(/src\/api\/index\.ts:\d+:\d+/).waitFor()
      project.edit('src/api/index.ts', `.onStart(${AWAY})`, '')
      await overlay.waitFor({ state: 'detached' })
      expect(await tab.getByRole('textbox').inputValue()).toBe('kept')

      await tab.goto(linkOf(server))
      await tab.getByRole('navigation').getByRole('link', { name: 'count' }).click()
      await tab.getByRole('button', { name: /Run/ }).first().waitFor()
      expect(tab.url()).not.toContain('token')
      expect([...hosts]).toEqual([server.url])
      await browser.close()
    },
  )

  it('closes on Ctrl-C', async () => {
    expect(await server.stop('SIGINT')).toEqual({ code: 0, signal: null })
  })
})

describe('sdk list', () => {
  it('lists agents and routes', async () => {
    const { path } = createDemoProject()
    const running = await startProcess({ command: process.execPath, args: [SDK, 'list'], cwd: path })
    expect((await running.exited).code).toBe(0)
    const lines = running.output().split('\n')
    expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      'agent POST /agent/count Counts',
      'agent POST /agent/hello',
      'route GET /api/status',
      '',
    ])
  })

  it('fails if a file does not load', async () => {
    const project = createDemoProject()
    project.edit('src/agent/hello/index.ts', `'hello'`, `'hallo'`)
    const [code, output] = await sdkHere(project.path, ['list'])
    expect(code).toBe(1)
    expect(output).toContain('the folder is named "hello" and its agent "hallo"')
  })
})

/** Returns the URL that opens the workbench. */
function linkOf(server: NodeProcess): string {
  return /http:\S+_workbench\?token=[\w-]{43}/.exec(server.output())?.[0] ?? ''
}

async function call({ url }: NodeProcess, route: string, input: unknown = {}): Promise<[number, string]> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const body = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
  const response = await fetch(url + path, { method, ...(method === 'GET' ? {} : body) })
  return [response.status, await response.text()]
}

/** Calls the agent that counts, and waits for its first chunk. */
async function beginCounting({ url }: NodeProcess, input: unknown): Promise<{ rest(): Promise<string> }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/agent/count`, { method: 'POST', headers, body: JSON.stringify(input) })
  const chunks = response.body?.values()
  await chunks?.next()
  return {
    async rest() {
      let text = ''
      for await (const chunk of chunks ?? []) text += new TextDecoder().decode(chunk)
      return text
    },
  }
}

async function page({ url }: NodeProcess, path: string): Promise<string> {
  return (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
}

/** Calls until the response contains a string. */
async function until(server: NodeProcess, route: string, expected: string): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const [, text] = await call(server, route, { to: 1 })
    if (text.includes(expected)) return
    if (performance.now() > end) throw new Error(`${route} returns ${text}, not ${expected}\n${server.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Calls without a pause. `stop` returns the received statuses. */
function keepCalling(server: NodeProcess, route: string): { stop(): Promise<number[]> } {
  const statuses = new Set<number>()
  const control = new AbortController()
  const done = (async () => {
    while (!control.signal.aborted) statuses.add((await call(server, route))[0])
  })()
  return {
    async stop() {
      control.abort()
      await done
      return [...statuses]
    },
  }
}
