import { connect } from 'node:net'
import { fromEnvelope } from '@sdk/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, createAgent, createApp, createRouter, serve, type Log, type Server } from '../index.ts'

const lines: { message: string; [field: string]: unknown }[] = []
const record = (message: string, fields = {}): unknown => lines.push({ message, ...fields })
const log = { debug: record, info: record, warn: record, error: record } satisfies Log
const ended: string[] = []

const shout = createAgent('shout', {
  input: z.object({ text: z.string().min(1).max(5) }),
  handler: (_ctx, input) => ({ text: input.text.toUpperCase() }),
})

const app = createApp({
  log,
  agents: [
    shout,
    createAgent('echo', { handler: (_ctx, input) => input }),
    createAgent('count', {
      output: z.object({ n: z.number().max(3) }),
      async *handler(_ctx, to: number) {
        for (let n = 1; n <= to; n++) yield { n }
      },
    }),
    createAgent('forever', {
      async *handler(ctx) {
        try {
          for (let n = 0; ; n++) {
            yield { n }
            await new Promise((resolve) => setImmediate(resolve))
          }
        } finally {
          ended.push(ctx.signal.aborted ? 'aborted' : 'ended')
        }
      },
    }),
    createAgent('twice', {
      handler: async (ctx, text: string) => Promise.all([ctx.call(shout, { text }), ctx.call(shout, { text })]),
    }),
    createAgent('fail', {
      handler: () => {
        throw new Error('secret')
      },
    }),
  ],
  router: createRouter()
    .use('/api/guarded/*', async (ctx, next) => {
      if (ctx.header('x-key') !== 'open') throw new ApiError('UNAUTHORIZED', 'sign in')
      const reply = await next()
      reply.headers['x-guarded'] = 'yes'
      return reply
    })
    .on('GET /api/guarded/:name', (ctx) => ({ name: ctx.params.name, route: ctx.route }))
    .on('GET /api/reports/:id', {
      params: z.object({ id: z.coerce.number().int() }),
      handler: (ctx) => ({ id: ctx.params.id }),
    })
    .on('POST /api/upload', async (ctx) => ({ text: await ctx.request.text() }))
    .on('GET /api/taken', () => {
      throw new ApiError('CONFLICT', 'title is taken', { details: [{ code: 'NOT_UNIQUE', message: 'is taken' }] })
    }),
})

let server: Server
beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(() => server.close())

type Send = (path: string, init?: RequestInit) => Promise<Response>
const adapters: [string, Send][] = [
  ['app.fetch', (path, init) => app.fetch(new Request(`http://localhost${path}`, init))],
  ['serve', (path, init) => fetch(server.url + path, init)],
]

describe.each(adapters)('createApp through %s', (_adapter, send) => {
  const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
    send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })

  it.each([[{ a: 1 }], [0], [false], [''], [null], [[1, 2]]])(
    'passes the JSON input to an agent without a schema: %j',
    async (value) => {
      const response = await post('/agent/echo', value)
      expect([response.status, await response.json()]).toEqual([200, value])
    },
  )

  it('returns all issues of an input in one 400', async () => {
    const response = await post('/agent/shout', { text: 'too long' })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: {
        code: 'INVALID_REQUEST',
        message: 'text must have at most 5 characters',
        details: [
          { code: 'TOO_LONG', message: 'must have at most 5 characters', source: 'body', pointer: '/text', max: 5 },
        ],
      },
    })
  })

  it('streams NDJSON, or server-sent events if requested', async () => {
    const lined = await post('/agent/count', 2)
    expect([lined.headers.get('content-type'), await lined.text()]).toEqual([
      'application/x-ndjson',
      '{"n":1}\n{"n":2}\n',
    ])
    const events = await post('/agent/count', 2, { accept: 'text/event-stream' })
    expect([events.headers.get('content-type'), await events.text()]).toEqual([
      'text/event-stream',
      'data: {"n":1}\n\ndata: {"n":2}\n\n',
    ])
  })

  it('ends a failing stream with the error as its last chunk', async () => {
    const chunks = (await (await post('/agent/count', 4)).text()).trimEnd().split('\n')
    expect(chunks).toHaveLength(4)
    expect(JSON.parse(chunks[3] ?? '')).toMatchObject({ error: { code: 'INTERNAL_SERVER_ERROR', details: [] } })
  })

  it('runs nested agents concurrently', async () => {
    expect(await (await post('/agent/twice', 'hey')).json()).toEqual([{ text: 'HEY' }, { text: 'HEY' }])
  })

  it('hides the error of a handler and logs it with the request id', async () => {
    const response = await post('/agent/fail', {}, { 'x-request-id': 'test-request-1' })
    const text = await response.text()
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'test-request-1'])
    expect(text).not.toContain('secret')
    expect(lines).toContainEqual(expect.objectContaining({ error: 'secret', requestId: 'test-request-1' }))
  })

  it('runs middleware for the matching paths', async () => {
    const refused = await send('/api/guarded/a')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const allowed = await send('/api/guarded/a%2Fb', { headers: { 'x-key': 'open' } })
    expect(allowed.headers.get('x-guarded')).toBe('yes')
    expect(await allowed.json()).toEqual({ name: 'a/b', route: 'GET /api/guarded/:name' })
  })

  it('validates path parameters', async () => {
    expect(await (await send('/api/reports/7')).json()).toEqual({ id: 7 })
    const error = fromEnvelope(await (await send('/api/reports/x')).json(), { status: 400 })
    expect(error.details[0]).toMatchObject({ source: 'path', name: 'id' })
  })

  it.each([
    ['GET', '/nowhere', 404, null],
    ['GET', '/agent/echo', 405, 'POST'],
    ['DELETE', '/api/reports/7', 405, 'GET, HEAD'],
    ['GET', '/api/reports/7/', 404, null],
    ['GET', '/api/reports/%zz', 400, null],
    ['GET', '/api/reports/%00', 400, null],
    ['GET', '/api/reports/7?a=1&a=2', 400, null],
    ['GET', '/api/taken', 409, null],
  ])('responds to %s %s with %d and the error envelope', async (method, path, status, allow) => {
    const response = await send(path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([status, allow])
    expect(Object.keys((await response.json()) as object)).toEqual(['error'])
  })

  it('rejects non-JSON, malformed and oversized bodies with 415, 400 and 413', async () => {
    const send_ = (body: string, type: string): Promise<Response> =>
      send('/agent/echo', { method: 'POST', body, headers: { 'content-type': type } })
    expect((await send_('hi', 'text/plain')).status).toBe(415)
    expect((await send_('{', 'application/json')).status).toBe(400)
    expect((await send_(`"${'x'.repeat(1_048_576)}"`, 'application/json')).status).toBe(413)
  })

  it('rejects a body that is not UTF-8', async () => {
    const body = new Uint8Array([0x22, 0xff, 0x22])
    const response = await send('/agent/echo', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { details: [{ pointer: '' }] } }])
  })

  it('accepts other media types on a route without an input schema', async () => {
    const response = await send('/api/upload', {
      method: 'POST',
      body: 'plain',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await response.json()).toEqual({ text: 'plain' })
  })

  it('responds to HEAD like GET, without a body', async () => {
    const response = await send('/api/reports/7', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('serve', () => {
  it('aborts the handler when the client disconnects', async () => {
    ended.length = 0
    const caller = new AbortController()
    const response = await fetch(`${server.url}/agent/forever`, { method: 'POST', signal: caller.signal })
    await response.body?.getReader().read()
    caller.abort()
    await expect.poll(() => ended).toEqual(['aborted'])
  })

  it('returns 413 for a chunked body that exceeds the limit', async () => {
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1')
      let text = ''
      socket
        .on('data', (data) => (text += data.toString()))
        .on('close', () => resolve(text))
        .on('error', reject)
      socket.write(
        'POST /agent/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      )
      for (let n = 0; n < 33; n++) socket.write(`8000\r\n${' '.repeat(0x8000)}\r\n`)
    })
    expect(response).toMatch(/^HTTP\/1.1 413 /)
    expect(response).toContain('CONTENT_TOO_LARGE')
  })
})
