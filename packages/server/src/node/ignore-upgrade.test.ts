import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, createSocket, serve, type Log, type ServeOptions } from '../index.ts'
import { attach } from '../node.ts'
import { bytes, handshake } from './socket-client.test.fixture.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

let left = (): void => {}
const router = createRouter()
  .on('GET /api/name', () => 'name')
  .on('POST /api/echo', (_ctx, input) => ({ got: input }))
  .on('GET /api/slow', (ctx) => new Promise(() => ctx.signal.addEventListener('abort', () => left())))
  .socket('/ws/echo', createSocket({ message: (peer, message) => peer.send(message) }))

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

const get = (path: string, lines = H2C): string => `GET ${path} HTTP/1.1\r\nHost: a.example\r\n${lines}\r\n`
const post = (lines: string, body: string): string =>
  `POST /api/echo HTTP/1.1\r\nHost: a.example\r\n${lines}${JSON_TYPE}\r\n${body}`

interface TestServer {
  readonly port: number
  close(): Promise<unknown>
}

async function served(): Promise<TestServer> {
  return serve(createApp({ router, log: silent }), { port: 0, signals: false })
}

/** Attaches an app to a server that handles all other paths itself, with an upgrade listener if `hasUpgrades`. */
async function attached(hasUpgrades: boolean): Promise<TestServer> {
  const http: HttpServer = createServer(async (incoming, response) => {
    response.end(`theirs ${String(Buffer.concat(await incoming.toArray()))}`)
  })
  if (hasUpgrades) http.on('upgrade', () => {})
  const { close } = await attach(createApp({ router, log: silent }), http)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    port: (http.address() as AddressInfo).port,
    close() {
      http.close()
      http.closeAllConnections()
      return close({ grace: 100 })
    },
  }
}

describe.each([
  ['serve', served],
  ['attach', () => attached(false)],
  ['attach next to other upgrade listeners', () => attached(true)],
])('%s, with an unknown upgrade', (_name, open) => {
  let server: TestServer
  beforeAll(async () => {
    server = await open()
  })
  afterAll(() => server.close())

  const send = async (sent: string): Promise<string> => {
    const { text, ended } = bytes(server.port, sent)
    await ended
    return text()
  }

  it.each(['h2c', 'TLS/1.0, HTTP/2.0', 'nonsense'])('responds to a GET over HTTP/1.1: %s', async (token) => {
    const text = await send(get('/api/name', `Connection: Upgrade\r\nUpgrade: ${token}\r\n`))
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n"name"$/)
  })

  it('responds to a POST that includes its body', async () => {
    const text = await send(post(`${H2C}Content-Length: 8\r\n`, '{"a": 1}'))
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n{"got":{"a":1}}$/)
  })

  it('responds to a POST whose body arrives later, in chunks', async () => {
    const { socket, text, ended } = bytes(server.port, post(`${H2C}Transfer-Encoding: chunked\r\n`, '3\r\n{"a\r\n'))
    await once(socket, 'connect')
    await new Promise((resolve) => setImmediate(resolve))
    socket.write('5\r\n": 1}\r\n0\r\n\r\n')
    await ended
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*{"got":{"a":1}}$/)
  })

  it('closes a connection on which another request is pending, and aborts its handler', async () => {
    const aborted = new Promise<void>((resolve) => (left = resolve))
    const { text, ended } = bytes(server.port, get('/api/slow', '') + get('/api/name'))
    await Promise.all([ended, aborted])
    expect(text()).toBe('')
  })

  it('validates the request as usual', async () => {
    expect(await send(get('/api/none'))).toMatch(/^HTTP\/1\.1 404 /)
    expect(await send(post(`${H2C}Content-Length: 1\r\n`, '{'))).toMatch(/^HTTP\/1\.1 400 [^]*is not valid JSON/)
    expect(await send(get('/ws/echo'))).toMatch(/^HTTP\/1\.1 426 [^]*\r\nupgrade: websocket/i)
  })

  it('opens WebSockets', async () => {
    const { socket, text } = bytes(server.port, handshake('/ws/echo'))
    await expect.poll(text).toContain('101 Switching Protocols')
    socket.destroy()
  })
})

it('attach passes other paths with their bodies to the server', async () => {
  const { port, close } = await attached(false)
  const sent = post(`${H2C}Content-Length: 4\r\n`, 'tea?').replace('/api/echo', '/page')
  const { text, ended } = bytes(port, sent)
  await ended
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*theirs tea\?$/)
  await close()
})

it('serve responds next to other upgrade listeners, like those of a dev server', async () => {
  const fallback: ServeOptions['fallback'] = (_request, response) => void response.end('page')
  const { http, port, close } = await serve(createApp({ router, log: silent }), { port: 0, signals: false, fallback })
  http.on('upgrade', () => {})
  const { text, ended } = bytes(port, get('/page'))
  await ended
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*page$/)
  await close()
})
