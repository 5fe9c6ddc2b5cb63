import { join } from 'node:path'
import { spawnNode, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'
import { sdk, startBench, statusOf, upgradeStatus, type BenchServer } from './workbench/bench-server.ts'

const SOCKET = `import { createRouter, createSocket } from '@sdk/server'

export default createRouter().socket('/ws/echo', createSocket({ message: (peer, text) => peer.send(text) }))
`

const WHO = `import { createAgent } from '@sdk/server'

export default createAgent('who', { handler: (ctx) => ({ isAnybody: ctx.auth !== null }) })
`

const DONE = /event: run\ndata: .*"state":"done".*\n/

const PATHS = ['/_workbench', '/_workbench/', '/_workbench/runs', '/_workbench/api/runs', '/_workbench/api/events']

describe('the workbench of sdk dev', () => {
  const project = createDemoProject()
  let server: BenchServer
  let own: Record<string, string>

  beforeAll(async () => {
    project.write('src/api/index.ts', SOCKET)
    server = await startBench(project.path)
    own = headersOf(server)
  })
  afterAll(() => server.kill())

  const text = async (path: string): Promise<string> => (await fetch(server.url + path)).text()

  it.each(PATHS)('rejects a foreign host at %s even with valid credentials', async (path) => {
    for (const host of ['evil.example', `evil.example:${server.port}`, `localhost.evil.example:${server.port}`])
      expect(await statusOf(server.port, { path, headers: { ...own, host } })).toBe(403)
  })

  it.each(['/api/none', '/agent/none', '/healthz', '/'])('rejects a foreign host for the app at %s', async (path) => {
    expect(await statusOf(server.port, { path, headers: { host: `evil.example:${server.port}` } })).toBe(403)
    expect(await statusOf(server.port, { path, headers: { host: `app.localhost:${server.port}` } })).not.toBe(403)
  })

  it('rejects changes from a foreign or missing origin', async () => {
    const path = '/_workbench/api/runs'
    for (const origin of ['https://evil.example', 'null', `http://localhost:${server.port}`, 'http://127.0.0.1:1'])
      expect(await statusOf(server.port, { path, method: 'DELETE', headers: { ...own, origin } })).toBe(403)
    expect(await statusOf(server.port, { path, method: 'DELETE', headers: own })).toBe(403)
    expect(await statusOf(server.port, { path, method: 'DELETE', headers: { ...own, origin: server.url } })).toBe(200)
  })

  it('rejects preflight requests and sends no CORS headers', async () => {
    const headers = { ...own, origin: 'https://evil.example', 'access-control-request-method': 'GET' }
    expect(await statusOf(server.port, { path: '/_workbench/api/runs', method: 'OPTIONS', headers })).toBe(403)
    const read = await fetch(`${server.url}/_workbench/api/manifest`, { headers: server.headers })
    expect(read.headers.get('access-control-allow-origin')).toBeNull()
    expect(read.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it.each(PATHS)('returns 401 at %s without a valid token', async (path) => {
    for (const cookie of ['', `sdk_workbench_${server.port}=wrong`, server.cookie.replace(/=./, '=!')])
      expect(await statusOf(server.port, { path, headers: { ...own, cookie } })).toBe(401)
    expect(await statusOf(server.port, { path: `${path}?token=wrong`, headers: { host: own['host'] ?? '' } })).toBe(401)
  })

  it('opens with the link, then with the cookie', async () => {
    const entered = await fetch(server.link, { redirect: 'manual' })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/_workbench'])
    expect(entered.headers.get('set-cookie')).toContain(
      '; Max-Age=2592000; HttpOnly; SameSite=Strict; Path=/_workbench',
    )
    const inTab = { cookie: server.cookie, 'sec-fetch-dest': 'document' }
    const page = await fetch(`${server.url}/_workbench`, { headers: inTab })
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'")
    const html = await page.text()
    expect(html).not.toMatch(/<script(?! [^>]*src=)|<style|\son\w+=/)
    const script = /src="(\/_workbench\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''
    const asset = await fetch(server.url + script, { headers: { cookie: server.cookie, 'accept-encoding': 'gzip' } })
    expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(await statusOf(server.port, { path: '/_workbench/assets/nope.js', headers: own })).toBe(404)
  })

  it('does not expose its settings and its secret to pages of the app', async () => {
    await server.api('PUT /settings', { maxRuns: 400, maxBytes: 2_000_000, redact: ['hush'], isRecording: true })
    const token = new URL(server.link).searchParams.get('token') ?? ''
    expect(project.read('.sdk/dev-secret')).toBe(token)
    for (const query of ['', '?raw', '?import&raw', '?url'])
      for (const prefix of ['/@fs', '']) {
        expect(await text(`${prefix}${project.path}/.sdk/workbench/settings.json${query}`)).not.toContain('hush')
        expect(await text(`${prefix}${project.path}/.sdk/dev-secret${query}`)).not.toContain(token)
      }
  })

  it('prints the link again', async () => {
    expect((await sdk(project.path, 'info')).output).toContain(server.link)
  })

  it('rejects upgrades at its own path, and from other origins at the sockets of the app', async () => {
    const status = (path: string, origin: string): Promise<number | undefined> =>
      upgradeStatus(server.port, { path, headers: { ...own, origin } })
    expect(await status('/_workbench', server.url)).toBe(403)
    expect(await status('/_workbench/api/events', server.url)).toBe(403)
    expect(await status('/ws/echo', 'https://evil.example')).toBe(403)
    expect(await status('/ws/echo', 'null')).toBe(403)
    expect(await status('/ws/echo', server.url)).toBe(101)
  })

  it('sends missed events after a reconnect', async () => {
    const first = await listen(server)
    await callHello(server)
    const received = await first.until(DONE)
    const seen = [...received.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
    const other = await listen(server)
    await callHello(server)
    // Run events are delayed, and may follow the deletion of their runs.
    await other.until(DONE)
    await server.api('DELETE /runs')
    const second = await listen(server, { 'last-event-id': seen })
    const missed = await second.until(/event: cleared\n/)
    expect(missed).toContain('"route":"POST /agent/hello"')
    expect([...missed.matchAll(/^id: (\d+)$/gm)].every(([, id]) => Number(id) > Number(seen))).toBe(true)
  })

  it('sends an event after a change and records runs with the next revision', async () => {
    const events = await listen(server)
    project.write('src/agent/hello/words.ts', `export const word = 'again'\n`)
    await events.until(/event: manifest\ndata: \{"revision":2\}/)
    await callHello(server)
    await events.until(/event: run\ndata: (?=.*"state":"done").*"revision":2/)
    expect(await server.api('GET /manifest')).toMatchObject([200, { revision: 2, isReloading: false }])
    expect(await server.api('GET /runs?limit=1')).toMatchObject([
      200,
      { runs: [{ revision: 2, route: 'POST /agent/hello' }] },
    ])
  })

  it('creates a new agent', async () => {
    const events = await listen(server)
    expect(await server.api('POST /agents', { name: 'fresh' })).toEqual([
      200,
      { files: ['src/agent/fresh/agent.ts', 'src/agent/fresh/index.ts'] },
    ])
    await events.until(/event: manifest\ndata: \{"revision":[3-9]\}\n\n(?:.*\n)*event: manifest/)
    expect((await server.api('POST /agents', { name: 'fresh' }))[0]).toBe(409)
    expect(await server.api('GET /manifest')).toMatchObject([
      200,
      { routes: expect.arrayContaining([expect.objectContaining({ route: 'POST /agent/fresh' })]) },
    ])
  })

  it('lists the runs on the command line, also after it was killed', async () => {
    await callHello(server)
    const run = await sdk(project.path, 'run', 'hello')
    const id = /to see this run: sdk runs (\w{18})/.exec(run.output)?.[1] ?? ''
    expect((await sdk(project.path, 'runs', id)).output).toContain('POST /agent/hello  done 200')
    await server.kill()
    expect((await sdk(project.path, 'runs', '--route', 'hello')).output).toMatch(
      new RegExp(`^${id} .* sdk run +anonymous$`, 'm'),
    )
  })
})

describe('sdk dev --host', () => {
  it('warns that the network can reach it, and protects the workbench', async () => {
    const server = await startBench(createDemoProject().path, ['--host', '0.0.0.0'])
    await server.waitFor(/! sdk dev listens on 0\.0\.0\.0: anyone on the network can call the app/)
    const path = '/_workbench/api/manifest'
    const at = (host: string): Promise<number | undefined> =>
      statusOf(server.port, { path, headers: { ...headersOf(server), host: `${host}:${server.port}` } })
    expect([await at('127.0.0.1'), await at('evil.example')]).toEqual([200, 403])
    expect(await statusOf(server.port, { path, headers: { host: `127.0.0.1:${server.port}` } })).toBe(401)
    await server.kill()
  })
})

describe('a built server', () => {
  const project = createDemoProject()
  let server: NodeProcess

  beforeAll(async () => {
    project.write('src/agent/who/index.ts', WHO)
    expect(await sdkHere(project.path, ['build'])).toEqual([0, expect.any(String)])
    server = await spawnNode({ file: join(project.path, 'dist/server/index.js'), env: { PORT: '0' }, ready: URL_LINE })
  })
  afterAll(() => server.kill())

  it.each([...PATHS, '/_workbench?token=x', '/_workbench/api/users', '/_workbench/assets/index.js'])(
    'returns 404 at %s',
    async (path) => {
      const response = await fetch(server.url + path, { headers: { accept: 'text/html' } })
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    },
  )

  it('does not open sessions of users and ignores x-sdk-as', async () => {
    const headers = { 'content-type': 'application/json', 'x-sdk-as': 'ada@example.com', 'x-sdk-pass': '' }
    const opened = await fetch(`${server.url}/_workbench/api/sessions`, { method: 'POST', headers, body: '{}' })
    expect(opened.status).toBe(405)
    const response = await fetch(`${server.url}/agent/who`, { method: 'POST', headers, body: '{}' })
    expect([response.status, await response.json()]).toEqual([200, { isAnybody: false }])
  })
})

/** Returns the headers of a GET request of its own pages. */
function headersOf({
  port,
  headers: { cookie = '', 'x-sdk-workbench': nonce = '' },
}: BenchServer): Record<string, string> {
  return { cookie, 'x-sdk-workbench': nonce, host: `127.0.0.1:${port}` }
}

async function callHello({ url }: NodeProcess): Promise<void> {
  const response = await fetch(`${url}/agent/hello`, { method: 'POST' })
  expect(response.status).toBe(200)
  await response.text()
}

/** Subscribes to the events. `until` returns the received text when it matches the pattern. */
async function listen(
  server: BenchServer,
  headers: Record<string, string> = {},
): Promise<{ until(pattern: RegExp): Promise<string> }> {
  const response = await fetch(`${server.url}/_workbench/api/events`, {
    headers: { ...server.headers, ...headers },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    async until(pattern) {
      while (!pattern.test(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the events ended after ${text}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
  }
}
