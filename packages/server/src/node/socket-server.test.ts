import type { SessionMiddleware } from '../define/session-middleware.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, createApp, createRouter, createSocket, serve, type Log, type Server } from '../index.ts'
import {
  attempt,
  awaitClose,
  bytes,
  closed,
  frame,
  handshake,
  open,
  silent,
  type Offer,
} from './socket-client.test.fixture.ts'
import { attachSockets } from './socket-server.ts'

const seen: (string | null)[] = []

function authOf(name: string): RequestAuth {
  return {
    via: 'bearer',
    session: { id: `s-${name}`, userId: name, expiresAt: '2100-01-01T00:00:00.000Z' },
    getUser: () => Promise.reject(new Error('the users are lost')),
  }
}

const echo = createSocket({
  open: (peer) => seen.push(peer.auth?.session.userId ?? null),
  message: (peer, message) => peer.send(message),
})

/** Authenticates clients whose token is a name. */
const session: SessionMiddleware = Object.assign(
  (async (ctx, next) => {
    if (ctx.auth === null) throw new ApiError('UNAUTHORIZED', 'sign in')
    return next()
  }) as SessionMiddleware,
  {
    async authenticate(headers: { get(name: string): string | null }) {
      const bearer = fromAuthorization(headers.get('authorization'))
      const name = bearer ?? fromSubprotocols(headers.get('sec-websocket-protocol')).token ?? 'nobody'
      if (name === 'broken') throw new ApiError('SERVICE_UNAVAILABLE', 'no database')
      return name === 'nobody' ? null : authOf(name)
    },
    trusts: (origin: string, host: string | null) => origin === `http://${host}`,
  },
)

const user = createSocket({ message: async (peer) => peer.send(await peer.auth?.getUser()) })

const router = createRouter()
  .use('/ws/private', session)
  .use('/ws/teapot', async () => new Response('no', { status: 418 }))
  .use('/ws/fine', async () => new Response('fine'))
  .use('/ws/broken', async () => {
    throw new Error('a secret')
  })
  .use('/ws/*', async (ctx, next) => {
    const reply = await next()
    seen.push(ctx.route)
    return reply
  })
  .socket('/ws/open', echo)
  .socket('/ws/user', user)
  .socket('/ws/private', echo)
  .socket('/ws/teapot', echo)
  .socket('/ws/fine', echo)
  .socket('/ws/broken', echo)

const app = createApp({ log: silent, router, rateLimit: false, metrics: true })
let server: Server
let base: string
beforeAll(async () => {
  server = await serve(app, { port: 0 })
  base = `ws://127.0.0.1:${server.port}`
})
afterAll(() => server.close())

describe('rejected clients that reconnect', () => {
  it('are logged only from time to time', async () => {
    const errors: unknown[] = []
    const log = { ...silent, error: (message: string) => errors.push(message) }
    const away = await serve(createApp({ log, router, rateLimit: false }), { port: 0 })
    const url = `ws://127.0.0.1:${away.port}/ws/open`
    for (let n = 0; n < 5; n += 1)
      expect(await attempt(url, { headers: { authorization: 'Bearer broken' } })).toMatchObject({ status: 503 })
    expect(new Set(errors)).toEqual(new Set(['handler failed with SERVICE_UNAVAILABLE']))
    expect(errors.length).toBeLessThan(5) // at most once in ten seconds
    await away.close()
  })
})

describe('a rejected client', () => {
  const signedOut = { headers: {} }
  const foreign = { headers: { origin: 'https://evil.example' } }
  const bad = { headers: { authorization: 'Bearer broken' } }
  it.each([
    ['is not signed in', '/ws/private', signedOut, 401, 'UNAUTHORIZED', 4401],
    ['has another origin', '/ws/open', foreign, 403, 'FORBIDDEN', 4403],
    ['requests an unknown path', '/ws/none', signedOut, 404, 'NOT_FOUND', 4404],
    ['requests a path with a trailing slash', '/ws/open/', signedOut, 404, 'NOT_FOUND', 4404],
    ['cannot be authenticated', '/ws/open', bad, 503, 'SERVICE_UNAVAILABLE', 1013],
    ['gets a response from middleware', '/ws/teapot', signedOut, 418, 'HTTP_418', 4500],
    ['gets a 200 response from middleware', '/ws/fine', signedOut, 403, 'FORBIDDEN', 4403],
    ['causes an error in middleware', '/ws/broken', signedOut, 500, 'INTERNAL_SERVER_ERROR', 4500],
  ])('that %s gets a status, or a close code with the SDK', async (_name, path, offer, status, code, closeCode) => {
    expect(await attempt(base + path, offer)).toMatchObject({ status, code })
    expect(await awaitClose(base + path, offer)).toEqual([closeCode, expect.stringMatching(`^${code}: [a-zA-Z]`)])
    expect(await app.fetch(new Request('http://a/metrics')).then((response) => response.text())).toContain(
      'websocket_connections 0',
    )
  })

  it('is rejected with 401 if its token is invalid, even on a public socket', async () => {
    const rejection = await awaitClose(`${base}/ws/open`, { protocols: ['sdk.token.nobody'] })
    expect(rejection).toEqual([4401, 'UNAUTHORIZED: the token is invalid'])
    const raw = await attempt(`${base}/ws/open`, { protocols: ['x', 'sdk.token.nobody'] })
    expect(raw).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
  })
})

describe('an accepted client', () => {
  it('has passed the middleware of its path and is authenticated by its token', async () => {
    seen.length = 0
    const { socket } = await open(`${base}/ws/private`, { headers: { authorization: 'Bearer ada' } })
    await expect.poll(() => seen).toEqual(['/ws/private', 'ada'])
    const metrics = await app.fetch(new Request('http://a/metrics'))
    expect(await metrics.text()).toContain('websocket_connections 1')
    socket.close()
    await closed(socket)
  })

  it('receives an error if its user cannot be read, and stays connected', async () => {
    const { socket, received } = await open(`${base}/ws/user`, { headers: { authorization: 'Bearer ada' } })
    socket.send('1')
    socket.send('2')
    await expect.poll(() => received.length).toBe(2)
    expect(received[1]).toContain('INTERNAL_SERVER_ERROR')
    socket.terminate()
  })

  it('receives only the subprotocol of the SDK, never its token', async () => {
    const { socket } = await open(`${base}/ws/private`, { protocols: ['sdk.v1', 'sdk.token.ada'] })
    expect(socket.protocol).toBe('sdk.v1')
    socket.terminate()
  })

  it('can have the same origin', async () => {
    const end = await attempt(`${base}/ws/open`, { headers: { origin: `http://127.0.0.1:${server.port}` } })
    expect(end).toHaveProperty('socket')
  })

  it('is closed with 4400 on a binary message, and later messages are ignored', async () => {
    const { socket, received } = await open(`${base}/ws/open`)
    socket.send(Buffer.from('{"text":1}'))
    socket.send('"late"')
    expect(await closed(socket)).toEqual([4400, 'INVALID_REQUEST: messages must be text'])
    expect(received).toEqual([])
  })

  it.each([
    ['4413 with the SDK', ['sdk.v1'], 4413],
    ['1009 if raw', [], 1009],
  ])('is closed on a message that is too large: with %s', async (_name, protocols, code) => {
    const { socket } = await open(`${base}/ws/open`, { protocols })
    socket.send(`"${'x'.repeat(1_048_576)}"`)
    expect((await closed(socket))[0]).toBe(code)
  })
})

describe('connection limits', () => {
  const limits = { socket: { perUser: 2, perAddress: 4 } }
  let small: Server
  let url: string
  beforeEach(async () => {
    const guarded = createRouter().use('/ws/x', session).socket('/ws/x', echo)
    small = await serve(createApp({ log: silent, rateLimit: false, limits, router: guarded }), { port: 0 })
    url = `ws://127.0.0.1:${small.port}/ws/x`
  })
  afterEach(() => small.close())
  const as = (name: string): Offer => ({ headers: { authorization: `Bearer ${name}` } })

  it('apply per user and address, and closed connections are released', async () => {
    const { socket } = await open(url, as('ada'))
    await open(url, as('ada'))
    expect(await attempt(url, as('ada'))).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
    expect(await awaitClose(url, as('ada'))).toEqual([4429, 'TOO_MANY_REQUESTS: too many open connections (limit 2)'])
    await open(url, as('bob'))
    await open(url, as('cyd'))
    expect(await attempt(url, as('dan'))).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    socket.close()
    await expect.poll(async () => 'socket' in (await attempt(url, as('ada')))).toBe(true)
  })

  it('are enforced for concurrent connections', async () => {
    const ends = await Promise.all(Array.from({ length: 20 }, () => attempt(url, as('fay'))))
    expect(ends.filter((end) => 'socket' in end)).toHaveLength(2)
  })

  it('do not count failed handshakes', async () => {
    const noKey = handshake('/ws/x', 'Authorization: Bearer eve\r\n').replace(/Sec-WebSocket-Key.*\r\n/, '')
    for (let i = 0; i < 10; i++) {
      const { text, ended } = bytes(small.port, noKey)
      await ended
      expect(text()).toMatch(/^HTTP\/1.1 400 [^]*invalid WebSocket handshake/)
    }
    await open(url, as('eve'))
    expect(await attempt(url, as('eve'))).toHaveProperty('socket')
  })
})

describe('a connection that was used for a request', () => {
  it('is not closed as idle after an upgrade', async () => {
    const brief = await serve(createApp({ log: silent, router }), { port: 0, timeouts: { keepAlive: 100 } })
    const request = 'GET /healthz HTTP/1.1\r\nHost: a.example\r\n\r\n'
    const upgraded = bytes(brief.port, request)
    await expect.poll(upgraded.text).toContain('200 OK')
    upgraded.socket.write(handshake('/ws/open'))
    await expect.poll(upgraded.text).toContain('101 Switching')
    const idle = bytes(brief.port, request)
    await idle.ended
    upgraded.socket.write(frame(0x81, '"still here"'))
    await expect.poll(upgraded.text).toMatch(/"still here"$/)
    await brief.close()
  })
})

describe('a client that disconnects without a close frame', () => {
  it('is not logged', async () => {
    const debug = vi.fn<Log['debug']>()
    const left = vi.fn<() => void>()
    const watched = createRouter().socket('/ws/open', createSocket({ close: left }))
    const local = await serve(createApp({ log: { ...silent, debug }, router: watched }), { port: 0 })
    const { socket, text } = bytes(local.port, handshake('/ws/open'))
    await expect.poll(text).toContain('101 Switching')
    socket.resetAndDestroy()
    await expect.poll(() => left.mock.calls).toHaveLength(1)
    expect(debug).not.toHaveBeenCalled()
    await local.close()
  })
})

describe('an idle connection', () => {
  it('does not keep its handshake request in memory', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const requests: WeakRef<IncomingMessage>[] = []
    const http = createServer()
    attachSockets(http, app)
    http.on('upgrade', (incoming) => requests.push(new WeakRef(incoming)))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo
    const sockets = await Promise.all([1, 2, 3].map(() => open(`ws://127.0.0.1:${port}/ws/open`)))
    const countKept = (): number => {
      collectGarbage()
      return requests.filter((one) => one.deref() !== undefined).length
    }
    // Node keeps the request that it parsed last.
    await expect.poll(countKept).toBeLessThanOrEqual(1)
    expect(requests).toHaveLength(3)
    for (const { socket } of sockets) socket.terminate()
    await new Promise((resolve) => http.close(resolve))
  })
})
