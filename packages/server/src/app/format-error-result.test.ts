import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, createApp, createRouter, openapi, serve, type Context, type FormatError } from '../index.ts'
import { createFailingApp, exchange, log, logged, ownFormat, raise } from './format-error.test.fixture.ts'

beforeEach(() => {
  logged.length = 0
})

describe('a formatError that fails', () => {
  const ENVELOPE = { error: { code: 'CONFLICT', message: 'title is taken', details: [] } }
  const circular: Record<string, unknown> = {}
  circular['self'] = circular

  it.each<[what: string, formatError: unknown, reason: string]>([
    ['throws', () => raise(new Error('broken')), 'broken'],
    ['throws an ApiError', () => raise(new ApiError('GONE', 'no')), 'no'],
    ['throws a string', () => raise('text'), 'text'],
    ['is async', () => Promise.resolve({ status: 400, body: '' }), 'got a promise: it cannot be async'],
    ['is async and rejects', () => Promise.reject(new Error('late')), 'got a promise'],
    ['returns undefined', () => undefined, 'a status between 400 and 599, got undefined'],
    ['returns null', () => null, 'a status between 400 and 599, got undefined'],
    ['returns a successful status', () => ({ status: 200, body: '' }), 'a status between 400 and 599, got 200'],
    ['returns a fraction', () => ({ status: 400.5, body: '' }), 'got 400.5'],
    ['returns a status as text', () => ({ status: '400', body: '' }), 'got 400'],
    [
      'returns no body',
      () => ({ status: 400 }),
      'formatError must return a body that is serializable as JSON, got undefined',
    ],
    ['returns a circular body', () => ({ status: 400, body: circular }), 'circular'],
    ['has a multi-line header', () => ({ status: 400, body: '', headers: { a: 'b\r\nc: d' } }), 'header a is invalid'],
    ['has an invalid header name', () => ({ status: 400, body: '', headers: { 'a b': 'c' } }), 'header a b is invalid'],
    ['has a numeric header', () => ({ status: 400, body: '', headers: { a: 1 } }), 'header a is invalid'],
  ])('sends the default envelope and logs the reason if it %s', async (_what, formatError, reason) => {
    const app = createFailingApp(formatError as FormatError)
    const response = await app.fetch(new Request('http://localhost/api/taken'))
    expect([response.status, await response.json()]).toEqual([409, ENVELOPE])
    expect(response.headers.get('x-own')).toBe('1')
    const requestId = response.headers.get('x-request-id')
    expect(logged).toEqual([
      [
        'formatError failed; sending the default error envelope',
        expect.objectContaining({
          error: expect.stringContaining(reason) as unknown,
          requestId,
          code: 'CONFLICT',
          route: 'GET /api/taken',
        }),
      ],
    ])
  })

  it('sends the default envelope for a request that cannot be parsed', async () => {
    const server = await serve(
      createFailingApp((_error, ctx) => ({ status: 400, body: (ctx as Context).route })),
      { port: 0, signals: false },
    )
    expect(await exchange(server.port, 'nonsense\r\n\r\n')).toContain('{"error":{"code":"INVALID_REQUEST"')
    expect(logged[0]?.[0]).toBe('formatError failed; sending the default error envelope')
    await server.close()
  })

  it('is logged once for many requests', async () => {
    const app = createFailingApp(() => raise('down'))
    for (let n = 0; n < 5; n++) await app.fetch(new Request('http://localhost/api/nowhere'))
    expect(logged).toHaveLength(1)
  })

  it('makes createApp throw if it is not a function', () => {
    expect(() => createFailingApp('./format.ts' as never)).toThrow('formatError must be a function, got string')
  })
})

describe('the response of formatError', () => {
  const formatted = async (made: ReturnType<FormatError>, path = '/api/taken'): Promise<Response> =>
    createFailingApp(() => made).fetch(new Request(`http://localhost${path}`))

  it('can change the status, and has a challenge for 401', async () => {
    const response = await formatted({ status: 401, body: null })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await response.text()).toBe('null')
  })

  it('is text if the body is a string, with the type in its headers', async () => {
    const plain = await formatted({ status: 400, body: '{}' })
    expect([plain.headers.get('content-type'), await plain.text()]).toEqual(['text/plain; charset=utf-8', '{}'])
    const xml = await formatted({ status: 400, body: '<e/>', headers: { 'Content-Type': 'application/xml' } })
    expect(xml.headers.get('content-type')).toBe('application/xml')
  })

  it('cannot set headers of the connection or the request id', async () => {
    const headers = { 'Content-Length': '1', Connection: 'keep-alive', 'X-Request-Id': 'mine', Upgrade: 'h2c' }
    const response = await formatted({ status: 400, body: 'long', headers })
    expect(await response.text()).toBe('long')
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.headers.get('connection')).toBeNull()
    expect(response.headers.get('x-request-id')).not.toBe('mine')
    expect((await formatted({ status: 400, body: '', headers }, '/ws/room')).headers.get('upgrade')).toBe('websocket')
  })
})

describe('the OpenAPI document', () => {
  it('does not describe error bodies that formatError creates', async () => {
    const { components } = await openapi(createFailingApp(ownFormat))
    expect(components.responses['InvalidRequest']).not.toHaveProperty('content')
    expect(Object.values(components.responses).filter(({ content }) => content !== undefined)).toEqual([])
    expect(components.schemas).not.toHaveProperty('Problem')
    const { components: plain } = await openapi(createFailingApp())
    expect(plain.responses['InvalidRequest']?.content).toHaveProperty('application/json')
  })

  it('still describes the last chunk of a failed stream', async () => {
    const router = createRouter().on('GET /api/rows', {
      output: z.number(),
      async *handler() {
        yield 1
      },
    })
    const { components } = await openapi(createApp({ log, router, formatError: ownFormat }))
    expect(components.schemas['Error']).toMatchObject({ description: 'The last chunk of a failed stream.' })
  })
})
