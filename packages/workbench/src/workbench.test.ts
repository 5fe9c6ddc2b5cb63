import { request } from 'node:http'
import { createAgent, createApp, createLog, createRouter, serve, type Server } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toManifest } from './manifest.ts'
import { createWorkbench } from './workbench.ts'

const app = createApp({
  agents: [createAgent('echo', { description: 'Says it again', handler: (_ctx, input) => input })],
  router: createRouter().on('GET /api/status', () => 'ok'),
  log: createLog({ write: () => {} }),
})
let server: Server

beforeAll(async () => {
  server = await serve(app, { port: 0, fallback: createWorkbench({ app, project: '/home/ada/demo' }).handle })
})
afterAll(() => server.close())

describe('createWorkbench', () => {
  it('tells what there is to look at, agents first', async () => {
    const response = await fetch(`${server.url}/_workbench/api/manifest`)
    expect(await response.json()).toMatchObject({
      project: 'demo',
      routes: [
        { route: 'POST /agent/echo', kind: 'agent', description: 'Says it again' },
        { route: 'GET /api/status', kind: 'route' },
      ],
      problems: [],
    })
  })

  it('puts resources before other routes, and sockets last', () => {
    const facts = { project: 'demo', root: '/demo', branch: null, revision: 1, isReloading: false, canAdd: false }
    const kinds = ['socket', 'route', 'resource', 'agent'] as const
    const routes = kinds.map((kind) => ({ kind, route: `GET /${kind}`, description: undefined }))
    expect(toManifest({ routes, problems: [] }, facts).routes.map(({ kind }) => kind)).toEqual(kinds.toReversed())
  })

  it('lets its page load nothing from elsewhere and be shown nowhere else', async () => {
    const { headers } = await fetch(`${server.url}/_workbench/api/manifest`)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('refuses a foreign host with the envelope', async () => {
    expect(await getAs('evil.example')).toMatchObject([403, { error: { code: 'FORBIDDEN', details: [] } }])
  })

  it('refuses a change from a foreign origin', async () => {
    const response = await fetch(`${server.url}/_workbench/api/manifest`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    })
    expect(response.status).toBe(403)
  })

  it('has nothing at other paths of its API', async () => {
    expect((await fetch(`${server.url}/_workbench/api/nope`)).status).toBe(404)
  })
})

/** `fetch` does not let us lie about `Host`. */
function getAs(host: string): Promise<[number | undefined, unknown]> {
  return new Promise((resolve, reject) => {
    const options = { port: server.port, path: '/_workbench/api/manifest', headers: { host } }
    request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve([response.statusCode, JSON.parse(text)]))
    })
      .on('error', reject)
      .end()
  })
}
