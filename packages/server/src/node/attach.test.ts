import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createApp, createRouter, createSocket, type Log } from '../index.ts'
import { attach, type Attached } from '../node.ts'

const UPGRADE = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

describe('attach', () => {
  let http: HttpServer
  let attached: Attached
  let url: string
  let finish: () => void

  beforeEach(async () => {
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const router = createRouter()
      .on('GET /api/ours', () => 'ours')
      .on('GET /api/slow', async function* () {
        yield 'first'
        await gate
        yield 'last'
      })
      .socket('/ws/echo', createSocket({ message: (peer, message) => peer.send(message) }))
    http = createServer((incoming, response) => void response.end(`theirs ${incoming.url}`))
    const live = new WebSocketServer({ server: http, path: '/ws/live' })
    live.on('connection', (socket) => socket.send('live'))
    const paths = ['/api/ours', '/api/slow', '/ws/echo']
    attached = await attach(createApp({ router, log: silent }), http, { paths })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    http.close()
    http.closeAllConnections()
    await attached.close({ grace: 100 })
  })

  const get = async (path: string): Promise<string> => (await fetch(url + path)).text()

  it('handles its paths by whole segments and leaves all others to the server', async () => {
    const responses = await Promise.all(['/api/ours', '/api/ours?x', '/api/oursel', '/api/x', '/healthz'].map(get))
    expect(responses).toEqual(['"ours"', '"ours"', 'theirs /api/oursel', 'theirs /api/x', 'theirs /healthz'])
  })

  it('handles requests with an absolute URL as the target', async () => {
    const send = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request(url, { path }, (response) => response.once('data', (text) => resolve(String(text))))
        sent.on('error', reject).end()
      })
    const upgraded = request(url, { path: `${url}/ws/echo`, headers: UPGRADE })
    upgraded.end()
    const [response, socket] = (await once(upgraded, 'upgrade')) as [IncomingMessage, Socket]
    socket.destroy()
    expect([await send(`${url}/api/ours`), response.statusCode]).toEqual(['"ours"', 101])
  })

  it('opens its sockets next to a WebSocket server that rejects unknown paths', async () => {
    const ours = new WebSocket(`${url}/ws/echo`)
    ours.on('open', () => ours.send('"hello"'))
    const theirs = new WebSocket(`${url}/ws/live`)
    const received = await Promise.all([ours, theirs].map(async (socket) => String((await once(socket, 'message'))[0])))
    expect(received).toEqual(['"hello"', 'live'])
    ours.terminate()
    theirs.terminate()
  })

  it('runs before listeners that are added later', async () => {
    const received: unknown[] = []
    http.on('upgrade', (_incoming, stream) => stream.destroy()).on('request', (incoming) => received.push(incoming.url))
    const socket = new WebSocket(`${url}/ws/echo`)
    await once(socket, 'open')
    socket.terminate()
    expect([await get('/api/ours'), await get('/api/x')]).toEqual(['"ours"', 'theirs /api/x'])
    expect(received).toEqual(['/api/x'])
  })

  it('rejects a request with two Host headers, like serve', async () => {
    const sent = request(`${url}/api/ours`, { headers: ['Host', 'a', 'Host', 'b'] }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(400)
  })

  it('finishes a stream on close, closes sockets and releases its paths', async () => {
    const socket = new WebSocket(`${url}/ws/echo`)
    await once(socket, 'open')
    const response = await fetch(`${url}/api/slow`)
    const closed = once(socket, 'close')
    const closing = attached.close()
    const [code] = (await closed) as [number]
    finish()
    await closing
    expect([await response.text(), code]).toEqual(['"first"\n"last"\n', 1012])
    expect(await get('/api/ours')).toBe('theirs /api/ours')
  })

  it('aborts responses that take longer than the grace period', async () => {
    const response = await fetch(`${url}/api/slow`)
    await attached.close({ grace: 50 })
    await expect(response.text()).rejects.toThrow('terminated')
  })
})

it('attach ignores an upgrade if the server does not support upgrades', async () => {
  const http = createServer((_incoming, response) => void response.end('plain'))
  const attached = await attach(createApp({ log: silent }), http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const sent = request({ port, path: '/page', headers: { connection: 'upgrade', upgrade: 'websocket' } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(String(await response.toArray())).toBe('plain')
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  http.close()
  http.closeAllConnections()
  await attached.close()
})
