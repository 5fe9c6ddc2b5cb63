import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, createAgent, createApp, createRouter, serve, type Log, type Server } from '../index.ts'

const logged: string[] = []
const log: Log = {
  debug: (message) => void logged.push(`debug: ${message}`),
  info() {},
  warn() {},
  error: (message) => void logged.push(`error: ${message}`),
}
const soon = (ms = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const left: string[] = []
/** The paths of the handlers that wait for their clients. */
const begun: string[] = []

const router = createRouter()
  .on('GET /api/big', async function* () {
    yield 'x'.repeat(40_000)
    await soon(30)
    yield 'b'
    await soon()
    yield 'c'
  })
  .on('GET /api/empty', {
    content: 'application/octet-stream',
    async *handler() {
      yield Buffer.from('one')
      await soon()
      yield new Uint8Array(0)
      await soon()
      yield Buffer.from('two')
    },
  })
  .on('GET /api/split', {
    content: 'text/plain',
    async *handler() {
      for (const half of ['a\uD83D', '\uDE00b']) {
        yield half
        await soon()
      }
    },
  })
  .on(
    'GET /api/lies',
    () => new Response('hello, and more than was said', { headers: { 'content-length': '5', 'x-kept': 'yes' } }),
  )
  .on('GET /api/text', () => new Response('Zoë'))
  .on('GET /api/text/late', async () => {
    await soon()
    return new Response(Buffer.from('Zoë'))
  })
  .on('GET /api/nothing', () => new Response(''))
  .on('GET /api/pieces', () => {
    const pieces = [Buffer.from('one'), Buffer.from('two')]
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    }
    return new Response(new ReadableStream({ pull }))
  })
  .on('GET /api/hang', () => new Promise(() => {}))
  .on('GET /api/endless', async function* (ctx) {
    begun.push('/api/endless')
    try {
      for (;;) {
        yield 'tick'
        await soon()
      }
    } finally {
      left.push(ctx.signal.aborted ? 'aborted' : 'ended')
    }
  })
  .on('GET /api/obeys', async function* (ctx) {
    yield 'tick'
    begun.push('/api/obeys')
    await pause(60_000, undefined, { signal: ctx.signal })
  })
  .on('GET /api/obeys/plainly', (ctx) => {
    begun.push('/api/obeys/plainly')
    return pause(60_000, undefined, { signal: ctx.signal })
  })
  .on('POST /api/cancel', async (ctx) => {
    await ctx.request.body?.cancel()
    return 'ok'
  })
  .on('GET /api/none', () => Response.error())
  .on('GET /api/bad-name', () => {
    throw new ApiError('CONFLICT', 'taken', { headers: { 'bad name': 'x' } })
  })
const app = createApp({
  log,
  router,
  agents: [createAgent('whoami', { handler: (ctx) => ({ is: ctx.header('authorization') }) })],
})
let server: Server
beforeAll(async () => {
  server = await serve(app, { port: 0, signals: false })
})
afterAll(() => server.close())

/** Sends bytes and returns the bytes received up to the end of a chunked response, or until this handler runs. */
function exchange(bytes: string, handler?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (data) => {
      text += data.toString()
      if (text.endsWith('\r\n0\r\n\r\n')) socket.destroy()
    })
    const timer = setInterval(() => handler !== undefined && begun.includes(handler) && socket.destroy(), 5)
    socket.on('close', () => (clearInterval(timer), resolve(text))).on('error', reject)
  })
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`

describe('a response', () => {
  it.each(['', 'Connection: close\r\n'])('continues after its client was slow (%j)', async (more) => {
    const text = await exchange(get('/api/big', more))
    expect(text).toContain('"b"\n')
    expect(text).toContain('"c"\n')
    expect(text).toMatch(/\r\n0\r\n\r\n$/)
  })

  it('does not end at an empty chunk', async () => {
    const text = await exchange(get('/api/empty'))
    expect(text).toMatch(/3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n$/)
  })

  it('keeps a character that is split between two chunks', async () => {
    expect(await (await fetch(`${server.url}/api/split`)).text()).toBe('a😀b')
  })

  it('has the actual length of its body, not the declared one', async () => {
    const response = await fetch(`${server.url}/api/lies`)
    expect([await response.text(), response.headers.get('x-kept')]).toEqual(['hello, and more than was said', 'yes'])
  })

  it.each([
    ['/api/text', 'Zoë'],
    ['/api/text/late', 'Zoë'],
    ['/api/nothing', ''],
  ])('has the length of a Response with a complete body: %s', async (path, body) => {
    const response = await fetch(server.url + path)
    expect([response.headers.get('content-length'), await response.text()]).toEqual([
      String(Buffer.byteLength(body)),
      body,
    ])
  })

  it('contains all chunks of a streaming Response', async () => {
    expect(await (await fetch(`${server.url}/api/pieces`)).text()).toBe('onetwo')
  })

  it('is aborted when its client disconnects, even while it is queued', async () => {
    await exchange(get('/api/hang') + get('/api/endless'), '/api/endless')
    await expect.poll(() => left).toEqual(['aborted'])
  })

  it.each(['/api/obeys', '/api/obeys/plainly'])('is not an error if the client disconnects: %s', async (path) => {
    logged.length = 0
    await exchange(get(path), path)
    await expect.poll(() => logged).toEqual(['debug: handler aborted: client disconnected'])
  })

  it('is sent even if the handler cancels the request body', async () => {
    const response = await fetch(`${server.url}/api/cancel`, { method: 'POST', body: 'x'.repeat(100_000) })
    expect([response.status, await response.json()]).toEqual([200, 'ok'])
  })

  it.each(['/api/none', '/api/bad-name'])('is a 500 if it is invalid: %s', async (path) => {
    const response = await fetch(server.url + path)
    expect([response.status, await response.json()]).toMatchObject([500, { error: { code: 'INTERNAL_SERVER_ERROR' } }])
  })

  it('is not replayed for other credentials', async () => {
    const send = async (authorization: string): Promise<unknown> => {
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'one' }
      return (await fetch(`${server.url}/agent/whoami`, { method: 'POST', body: '{}', headers })).json()
    }
    expect([await send('Key ada'), await send('Key bob'), await send('Key ada')]).toEqual([
      { is: 'Key ada' },
      { is: 'Key bob' },
      { is: 'Key ada' },
    ])
  })

  it('leaves no connection after an aborted upgrade', async () => {
    for (const head of [
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n',
      'GET /api/x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n',
    ]) {
      const socket = connect(server.port, '127.0.0.1')
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(`${head}\r\n`)
      await soon(20)
      socket.resetAndDestroy()
    }
    const count = (): Promise<number> =>
      new Promise((resolve) => server.http.getConnections((_error, open) => resolve(open)))
    server.http.closeIdleConnections()
    await expect.poll(count).toBe(0)
  })
})
