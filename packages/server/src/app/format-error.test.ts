import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serve, type Server } from '../index.ts'
import { attach } from '../node.ts'
import { createFailingApp, exchange, logged, ownFormat, seen } from './format-error.test.fixture.ts'

type Send = (path: string, init?: RequestInit) => Promise<Response>

const JSON_BODY = { 'content-type': 'application/json' }
const post = (body: string): RequestInit => ({ method: 'POST', headers: JSON_BODY, body })

beforeEach(() => {
  seen.length = 0
  logged.length = 0
})

describe.each(['fetch', 'node'] as const)('formatError with the %s adapter', (adapter) => {
  let send: Send
  let server: Server | undefined
  beforeAll(async () => {
    const app = createFailingApp(ownFormat)
    server = adapter === 'node' ? await serve(app, { port: 0, signals: false }) : undefined
    const url = server?.url ?? 'http://localhost'
    send = (path, init) => (server === undefined ? app.fetch(new Request(url + path, init)) : fetch(url + path, init))
  })
  afterAll(() => server?.close())

  it.each<[what: string, path: string, init: RequestInit | undefined, status: number, code: string, route: string]>([
    ['no route', '/api/nowhere', undefined, 404, 'NOT_FOUND', ''],
    ['another method', '/api/notes', undefined, 405, 'METHOD_NOT_ALLOWED', ''],
    ['a URL that is too long', `/api/${'x'.repeat(300)}`, undefined, 414, 'URI_TOO_LONG', ''],
    ['a socket path', '/ws/room', undefined, 426, 'UPGRADE_REQUIRED', ''],
    ['invalid JSON', '/api/notes', post('{'), 400, 'INVALID_REQUEST', 'POST /api/notes'],
    ['an invalid body', '/api/notes', post('{"title":"x"}'), 400, 'INVALID_REQUEST', 'POST /api/notes'],
    ['an invalid parameter', '/api/numbers/x', undefined, 400, 'INVALID_REQUEST', 'GET /api/numbers/:id'],
    ['a large body', '/api/notes', post(`"${'x'.repeat(200)}"`), 413, 'CONTENT_TOO_LARGE', 'POST /api/notes'],
    [
      'another media type',
      '/api/notes',
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'POST /api/notes',
    ],
    ['an Accept mismatch', '/api/taken', { headers: { accept: 'image/png' } }, 406, 'NOT_ACCEPTABLE', 'GET /api/taken'],
    ['middleware', '/api/guarded', undefined, 403, 'FORBIDDEN', 'GET /api/guarded'],
    ['middleware that caught the error', '/api/caught', undefined, 418, 'IM_A_TEAPOT', 'GET /api/caught'],
    ['an ApiError', '/api/taken', undefined, 409, 'CONFLICT', 'GET /api/taken'],
    ['an unexpected error', '/api/fails', undefined, 500, 'INTERNAL_SERVER_ERROR', 'GET /api/fails'],
    ['a stream before its first chunk', '/api/first', undefined, 409, 'CONFLICT', 'GET /api/first'],
  ])('formats the error of %s', async (_what, path, init, status, code, route) => {
    const response = await send(path, init)
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await response.json()).toEqual({
      errors: { body: [expect.any(String)] },
      details: expect.any(Array) as unknown,
    })
    expect(response.headers.get('x-format')).toBe('own')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const requestId = response.headers.get('x-request-id')
    expect(seen).toEqual([expect.objectContaining({ code, route, requestId, address: '127.0.0.1' })])
  })

  it('keeps the headers of the error', async () => {
    expect((await send('/api/notes')).headers.get('allow')).toBe('POST')
    expect((await send('/api/taken')).headers.get('x-own')).toBe('1')
    const limited = async (): Promise<Response> => send('/api/sign-in', { method: 'POST' })
    await limited()
    const response = await limited()
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(seen.at(-1)).toMatchObject({ code: 'TOO_MANY_REQUESTS', route: 'POST /api/sign-in' })
    expect(await response.json()).toHaveProperty('errors')
  })

  it('passes the cause of an unexpected error, whose message stays general', async () => {
    const text = await (await send('/api/fails')).text()
    expect(text).not.toContain('the secret reason')
    expect(seen[0]?.cause).toEqual(new Error('the secret reason'))
  })

  it('takes precedence over problem details', async () => {
    const response = await send('/api/taken', { headers: { accept: 'application/problem+json' } })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toHaveProperty('errors')
  })

  it('sends no body for HEAD', async () => {
    const response = await send('/api/taken', { method: 'HEAD' })
    expect([response.status, response.headers.get('x-format'), await response.text()]).toEqual([409, 'own', ''])
  })

  it('keeps the envelope as the last chunk of a stream', async () => {
    const response = await send('/agent/late', post('null'))
    const envelope = { error: { code: 'CONFLICT', message: 'the stream broke', details: [] } }
    expect([response.status, await response.text()]).toEqual([200, `1\n${JSON.stringify(envelope)}\n`])
    expect(seen).toEqual([])
  })

  it('leaves a Response of a handler, and health checks, unchanged', async () => {
    expect(await (await send('/api/response')).text()).toBe('mine')
    expect(await (await send('/healthz')).json()).toEqual({ status: 'ok' })
    expect(seen).toEqual([])
  })
})

describe('formatError with requests that cannot be parsed', () => {
  let server: Server
  beforeAll(async () => {
    server = await serve(createFailingApp(ownFormat), { port: 0, signals: false })
  })
  afterAll(() => server.close())

  it.each<[what: string, bytes: string, status: number, code: string]>([
    ['invalid syntax', 'nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['a missing Host header', 'GET /api/taken HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'large headers',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
    ],
    ['an unsupported Expect header', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417, 'EXPECTATION_FAILED'],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 501, 'NOT_IMPLEMENTED'],
    [
      'a body that becomes malformed',
      'POST /api/notes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'INVALID_REQUEST',
    ],
  ])('formats the error of %s, without a context', async (_what, bytes, status, code) => {
    const response = await exchange(server.port, bytes)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(response.toLowerCase()).toContain('x-format: own\r\n')
    const body = response.slice(response.indexOf('\r\n\r\n') + 4)
    expect(JSON.parse(body)).toHaveProperty('errors')
    expect(Number(/content-length: (\d+)/i.exec(response)?.[1])).toBe(Buffer.byteLength(body))
    expect(seen).toContainEqual({ code, route: null, requestId: null, address: null, cause: undefined })
  })

  it('does not apply to sockets', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const response = await exchange(server.port, `GET /ws/none HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`)
    expect(response).toContain('"error":{"code":"NOT_FOUND"')
    expect(seen).toEqual([])
  })

  it('applies to an app that is attached to another server', async () => {
    const http = createServer((_request, response) => response.end('theirs'))
    const attached = await attach(createFailingApp(ownFormat), http)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as { port: number }
    const host = 'Host: a b\r\nConnection: close\r\n\r\n'
    expect(await exchange(port, `GET /api/taken HTTP/1.1\r\n${host}`)).toContain('"errors"')
    await new Promise((resolve) => http.close(resolve))
    await attached.close()
  })
})
