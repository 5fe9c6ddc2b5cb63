import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, openapi, readText, serve, type Server } from '../index.ts'

const sha = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const router = createRouter()
  .on('POST /api/text', {
    raw: true,
    handler: async (ctx, input) => ({ sha: sha(await readText(ctx.request, 1000)), input: input ?? null }),
  })
  .on('POST /api/bytes', {
    raw: true,
    handler: async (ctx) => ({ sha: sha(new Uint8Array(await ctx.request.arrayBuffer())) }),
  })
  .on('POST /api/parsed', () => 'parsed')
const app = createApp({ router, rateLimit: false, log: { debug() {}, info() {}, warn() {}, error() {} } })
let server: Server
beforeAll(async () => {
  server = await serve(app, { port: 0, signals: false })
})
afterAll(() => server.close())

const adapters = {
  serve: (path: string, init: RequestInit) => fetch(server.url + path, init),
  fetch: (path: string, init: RequestInit) => app.fetch(new Request(`http://localhost${path}`, init)),
}

describe.each(['serve', 'fetch'] as const)('a route with a raw body, through %s', (adapter) => {
  const post = async (path: string, body: BodyInit): Promise<[number, unknown]> => {
    const headers = { 'content-type': 'application/json' }
    const response = await adapters[adapter](path, { method: 'POST', body, headers })
    return [response.status, await response.json()]
  }

  it.each([
    ['whitespace and key order', '{ "b" : 1,\r\n\t"a":2 }\n'],
    ['JSON that other routes reject', '{"a":1,"a":2,"__proto__":{},"half":"\\ud83d"}'],
    ['text that is not JSON', 'not JSON'],
    ['a byte order mark', '\uFEFF{"tea":"🍵"}'],
    ['an empty body', ''],
  ])('passes %s unchanged, without parsing it', async (_name, text) => {
    expect(await post('/api/text', text)).toEqual([200, { sha: sha(text), input: null }])
    expect(await post('/api/bytes', text)).toEqual([200, { sha: sha(text) }])
  })

  it('passes arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const body = new Uint8Array(bytes)
        expect(await post('/api/bytes', body)).toEqual([200, { sha: sha(body) }])
      }),
      { numRuns: 30 },
    )
  })

  it('returns 413 if the body exceeds the limit of the handler', async () => {
    expect(await post('/api/text', 'x'.repeat(1001))).toMatchObject([413, { error: { code: 'CONTENT_TOO_LARGE' } }])
  })

  it('does not affect other routes', async () => {
    expect(await post('/api/parsed', 'not JSON')).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }])
  })
})

it('documents a raw body with any media type', async () => {
  const { paths } = await openapi(app)
  expect(paths['/api/text']?.['post']?.requestBody).toEqual({ required: true, content: { '*/*': {} } })
})

it('throws if a route has both raw and input', () => {
  const input = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
  expect(() => createRouter().on('POST /api/x', { raw: true, input, handler: () => 1 })).toThrow(
    'POST /api/x: a raw body is not parsed, so input would have no effect: remove raw or input',
  )
})
