import { mkdirSync, rmdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createAgent, createApp, createLog, createRouter, serve, type Server } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunList } from './api.ts'
import { toManifest } from './manifest.ts'
import { openRecording, type Recording } from './recording.ts'
import { workbenchHeaders } from './guard.ts'
import { createWorkbench, type Workbench } from './workbench.ts'

const { path: root } = temporaryFolder('workbench')
const log = createLog({ write: () => {} })
const app = createApp({
  agents: [createAgent('echo', { description: 'Says it again', handler: (_ctx, input) => input })],
  router: createRouter().on('GET /api/status', () => 'ok'),
  log,
})
let recording: Recording
let workbench: Workbench
let server: Server
let cookie: string

beforeAll(async () => {
  recording = openRecording({ root })
  const addAgent = (name: string): string[] => [`src/agent/${name}/index.ts`]
  workbench = createWorkbench({ app, recording, addAgent, log, project: join(root, 'demo') })
  server = await serve(recording.recordApp(app), { port: 0, fallback: workbench.handle })
  const entered = await fetch(workbench.linkAt(server.url), { redirect: 'manual' })
  cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
})
afterAll(async () => {
  await workbench.close()
  await server.close()
  await recording.close()
})

/** Calls the API as a page of the workbench does. */
async function call(route: string, body?: unknown): Promise<[number, unknown]> {
  const [method = '', path = ''] = route.split(' ')
  const token = new URL(workbench.linkAt(server.url)).searchParams.get('token') ?? ''
  const response = await fetch(`${server.url}/_workbench${path}`, {
    method,
    headers: { ...workbenchHeaders(server.url, token), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return [response.status, await response.json()]
}

describe('createWorkbench', () => {
  it('exchanges the token of its link for a cookie and redirects to a URL without the token', async () => {
    const entered = await fetch(workbench.linkAt(server.url), { redirect: 'manual' })
    expect(entered.status).toBe(303)
    expect(entered.headers.get('location')).toBe('/_workbench')
    expect(entered.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^sdk_workbench_${server.port}=[\\w-]{43}; Max-Age=2592000; HttpOnly; SameSite=Strict; Path=/_workbench$`,
      ),
    )
  })

  it.each(['', '?token=wrong', '/assets/index.js', '/runs'])(
    'responds with 401 and instructions at /_workbench%s',
    async (path) => {
      const response = await fetch(`${server.url}/_workbench${path}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
      const html = await response.text()
      expect(html).toContain('sdk info')
      expect(html).not.toContain('<script')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    },
  )

  it('sends the stylesheet of the instructions without the cookie, but no other file', async () => {
    const html = await (await fetch(`${server.url}/_workbench`)).text()
    const href = /rel="stylesheet" href="([^"]+)"/.exec(html)?.[1] ?? ''
    const style = await fetch(server.url + href)
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect((await fetch(`${server.url}${href}/../index.html`)).status).toBe(401)
  })

  it('rejects API requests without the cookie', async () => {
    for (const path of ['manifest', 'runs', 'events', 'users', 'nope', 'runs?token=wrong']) {
      const response = await fetch(`${server.url}/_workbench/api/${path}`)
      expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }])
    }
  })

  it('rejects API requests with the cookie but without the nonce', async () => {
    const headers = { cookie, origin: server.url, 'content-type': 'application/json' }
    for (const [method, path] of [
      ['GET', 'manifest'],
      ['GET', 'events'],
      ['GET', 'events?nonce=guessed'],
      ['GET', 'users'],
      ['POST', 'sessions'],
      ['DELETE', 'runs'],
    ]) {
      const response = await fetch(`${server.url}/_workbench/api/${path}`, { method: method ?? '', headers })
      expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
    }
  })

  it('returns the manifest with agents first', async () => {
    expect(await call('GET /api/manifest')).toMatchObject([
      200,
      {
        project: 'demo',
        root: join(root, 'demo'),
        revision: 1,
        canAdd: true,
        testRunner: 'node:test',
        routes: [
          { route: 'POST /agent/echo', kind: 'agent', description: 'Says it again' },
          { route: 'GET /api/status', kind: 'route' },
        ],
        problems: [],
      },
    ])
  })

  it('sorts resources before other routes, and sockets last', () => {
    const facts = {
      project: 'demo',
      root: '/demo',
      branch: null,
      revision: 1,
      isReloading: false,
      canAdd: false,
      testRunner: 'vitest',
    } as const
    const kinds = ['socket', 'route', 'resource', 'agent'] as const
    const routes = kinds.map((kind) => ({ kind, route: `GET /${kind}`, description: undefined }))
    expect(toManifest({ routes, problems: [] }, facts).routes.map(({ kind }) => kind)).toEqual(kinds.toReversed())
  })

  it('sends headers that forbid framing, caching and resources of other hosts', async () => {
    const { headers } = await fetch(`${server.url}/_workbench/runs`)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    const apiResponse = await fetch(`${server.url}/_workbench/api/manifest`, { headers: { cookie } })
    for (const { headers: all } of [apiResponse, { headers }]) {
      expect(all.get('cache-control')).toBe('no-store')
      expect(all.get('x-content-type-options')).toBe('nosniff')
      expect(all.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(all.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('rejects another host, even with the cookie', async () => {
    expect(await getAs('evil.example')).toMatchObject([403, { error: { code: 'FORBIDDEN', details: [] } }])
  })

  it('rejects a change from another origin, even with the cookie', async () => {
    const headers = { origin: 'https://evil.example', cookie }
    const response = await fetch(`${server.url}/_workbench/api/runs`, { method: 'DELETE', headers })
    expect(response.status).toBe(403)
  })

  it('responds with 404 for unknown paths and with 405 to other methods', async () => {
    expect(await call('GET /api/nope')).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    expect(await call('PUT /api/manifest', {})).toMatchObject([405, { error: { code: 'METHOD_NOT_ALLOWED' } }])
    expect(await call('POST /api/events', {})).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    expect(await call('POST /runs', {})).toMatchObject([405, { error: { code: 'METHOD_NOT_ALLOWED' } }])
  })

  it('rejects long and invalid bodies', async () => {
    expect(await call('POST /api/agents', { name: 'x'.repeat(70_000) })).toMatchObject([413, {}])
    for (const body of [undefined, [], { name: 1 }, { name: '' }, { name: 'x', more: 1 }])
      expect(await call('POST /api/agents', body)).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }])
  })

  it('adds agents if the dev server supports it', async () => {
    expect(await call('POST /api/agents', { name: 'hi' })).toEqual([200, { files: ['src/agent/hi/index.ts'] }])
  })

  it('lists runs, keeps pinned ones, and deletes the others', async () => {
    for (const requestId of ['request-1', 'request-2'])
      await fetch(`${server.url}/agent/echo`, {
        method: 'POST',
        headers: { 'x-request-id': requestId, 'x-sdk-caller': 'sdk run', 'content-type': 'application/json' },
        body: '{"text":"hi"}',
      })
    await expect
      .poll(() => call('GET /api/runs?requestId=request-2&limit=1&search='))
      .toMatchObject([
        200,
        { runs: [{ route: 'POST /agent/echo', state: 'done', caller: 'sdk run' }], callers: ['sdk run'], total: 2 },
      ])
    const [, list] = (await call('GET /api/runs')) as [number, RunList]
    const [id = '', other = ''] = list.runs.map((run) => run.id)
    expect(await call(`GET /api/runs/${id}`)).toMatchObject([
      200,
      { request: { body: { text: '{"text":"hi"}' } }, pieces: [{ text: '{"text":"hi"}' }] },
    ])
    expect(await call(`POST /api/runs/${id}/pin`, { isPinned: true })).toMatchObject([200, { id, isPinned: true }])
    expect(await call('DELETE /api/runs')).toEqual([200, { deleted: 1 }])
    expect(await call(`GET /api/runs/${other}`)).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    expect(await call('GET /api/errors')).toEqual([200, { groups: [] }])
  })

  it.each(['limit=0', 'limit=501', 'limit=x', 'slower=-1', 'colour=red'])('rejects the filter %s', async (query) => {
    expect(await call(`GET /api/runs?${query}`)).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }])
  })

  it('stores its settings', async () => {
    const settings = { maxRuns: 20, maxBytes: 5_000_000, redact: ['pin'], isRecording: true }
    expect(await call('PUT /api/settings', { ...settings, maxRuns: 0 })).toMatchObject([400, {}])
    expect(await call('PUT /api/settings', settings)).toEqual([200, { ...settings, fault: null }])
    expect(await call('GET /api/settings')).toEqual([200, settings])
    const again = openRecording({ root })
    expect(again.settings.get()).toEqual(settings)
    await again.close()
  })

  it('applies settings that cannot be written, and reports the error', async () => {
    const settings = { maxRuns: 30, maxBytes: 5_000_000, redact: [], isRecording: true }
    const file = join(root, '.sdk/workbench/settings.json')
    mkdirSync(`${file}.new`) // root can write to any folder, but not replace one
    expect(await call('PUT /api/settings', settings)).toEqual([
      200,
      { ...settings, fault: `cannot write ${file} (EISDIR)` },
    ])
    expect(await call('GET /api/settings')).toEqual([200, settings])
    rmdirSync(`${file}.new`)
  })

  it('returns no users for an app without auth', async () => {
    expect(await call('GET /api/users')).toEqual([200, { hasAuth: false, users: [] }])
    expect(await call('POST /api/sessions', { userId: '1' })).toMatchObject([409, { error: { code: 'CONFLICT' } }])
  })
})

/** Sends a request with another `Host`, which `fetch` does not allow. */
function getAs(host: string): Promise<[number | undefined, unknown]> {
  return new Promise((resolve, reject) => {
    const options = { port: server.port, path: '/_workbench/api/manifest', headers: { host, cookie } }
    request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve([response.statusCode, JSON.parse(text)]))
    })
      .on('error', reject)
      .end()
  })
}
