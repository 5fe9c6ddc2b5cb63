import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAgent, createApp, serve, type Log, type Server } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const app = createApp({ log: silent, agents: [createAgent('echo', { handler: (_ctx, input) => input })] })
let server: Server
let impatient: Server
beforeAll(async () => {
  server = await serve(app, { port: 0, signals: false })
  impatient = await serve(app, { port: 0, signals: false, timeouts: { headers: 100, request: 200 } })
})
afterAll(() => Promise.all([server.close(), impatient.close()]))

/** Sends bytes and returns all bytes that are received until the server closes the connection. */
function exchange(bytes: string, { port } = server): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (data) => (text += data.toString()))
    socket.on('close', () => resolve(text)).on('error', reject)
  })
}

describe('serve with malformed requests', () => {
  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['a broken header', 'GET /api/x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['a missing Host header', 'GET /api/x HTTP/1.1\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['two Host headers', 'GET /api/x HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'huge headers',
      `GET /api/x HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
    ],
    ['headers that never end', 'GET /api/x HTTP/1.1\r\nHost: a\r\n', 408, 'REQUEST_TIMEOUT'],
    [
      'a long URL',
      `GET /api/${'x'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      414,
      'URI_TOO_LONG',
    ],
  ])('responds to %s with the error envelope', async (_what, bytes, status, code) => {
    const response = await exchange(bytes, status === 408 ? impatient : server)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(response).toMatch(/x-request-id: /i)
    const body = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as unknown
    expect(body).toMatchObject({ error: { code, details: [] } })
  })
})

describe('serve with a fallback', () => {
  let both: Server
  beforeAll(async () => {
    both = await serve(app, { port: 0, signals: false, fallback: ({ url }, response) => response.end(`page ${url}`) })
  })
  afterAll(() => both.close())

  it.each([
    ['http://a/agent/none', /NOT_FOUND/],
    ['HTTP://other.example:80/api/x?y', /NOT_FOUND/],
    ['http://a', /page \/$/],
    ['http://a?b', /page \/\?b$/],
    ['http://a/about?b', /page \/about\?b$/],
    ['//a/agent/none', /page \/\/a\/agent\/none$/],
  ])('routes requests with an absolute URL as the target: %s', async (target, expected) => {
    const bytes = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    expect(await exchange(bytes, both)).toMatch(expected)
  })
})

describe('server.close', () => {
  it('finishes a pending response but accepts no new connections', async () => {
    let finish = (): void => {}
    const work = new Promise<void>((resolve) => (finish = resolve))
    const handler = vi.fn<() => Promise<string>>(async () => {
      await work
      return 'done'
    })
    const slow = createApp({ log: silent, agents: [createAgent('slow', { handler })] })
    const closing = await serve(slow, { port: 0, signals: false })
    const response = fetch(`${closing.url}/agent/slow`, { method: 'POST' })
    await expect.poll(() => handler.mock.calls).toHaveLength(1)
    const closed = closing.close()
    const isRefused = async (): Promise<boolean> => (await exchange('', closing).catch(() => null)) === null
    await expect.poll(isRefused).toBe(true)
    finish()
    expect(await (await response).json()).toBe('done')
    await closed
  })
})
