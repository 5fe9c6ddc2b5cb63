import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createApp, createRouter, createSocket, serve, type Server } from '../index.ts'
import { bytes, closed, handshake, open, silent } from '../node/socket-client.test.fixture.ts'
import { drainSockets, type DrainableClient } from './socket-drain.ts'

const HI = '{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}'
const left: string[] = []
let running = 0
let finish: () => void = () => {}
const router = createRouter().socket(
  '/ws/work',
  createSocket({
    message: (peer, message) =>
      new Promise<void>((resolve) => {
        running++
        finish = () => {
          running--
          peer.send(message)
          resolve()
        }
      }),
    async close(peer) {
      await new Promise((resolve) => setImmediate(resolve))
      left.push(peer.id)
    },
  }),
)
let server: Server

async function start(): Promise<string> {
  left.length = running = 0
  server = await serve(createApp({ log: silent, router, rateLimit: false }), { port: 0 })
  return `ws://127.0.0.1:${server.port}/ws/work`
}
afterEach(() => server.close({ grace: 0 }))

describe('a server that closes', () => {
  it('sends bye, waits for the handler and its message, closes with 1012 and runs the close handlers', async () => {
    const url = await start()
    const { socket, received } = await open(url, { protocols: ['sdk.v1'] })
    const raw = await open(url)
    socket.send(HI)
    await expect.poll(() => received.length).toBe(1)
    socket.send('{"o":"m","i":1,"d":"work"}')
    const ends = Promise.all([closed(socket), closed(raw.socket)])
    await expect.poll(() => running).toBe(1)
    const ending = server.close()
    await expect.poll(() => received[1]).toMatch(/^\{"o":"bye","after":\d+,"why":"restart"\}$/)
    finish()
    expect(await ends).toEqual([
      [1012, 'restart'],
      [1012, 'restart'],
    ])
    await ending
    expect(received.join('\n')).toMatch(/"d":"work"[^]*\{"o":"a","i":1\}/)
    expect(left).toHaveLength(2)
  })

  it('rejects new connections and pending handshakes after it has sent bye', async () => {
    const url = await start()
    const { socket, received } = await open(url, { protocols: ['sdk.v1'] })
    socket.send(HI)
    await expect.poll(() => received.length).toBe(1)
    socket.send('{"o":"m","i":1,"d":1}')
    await expect.poll(() => running).toBe(1)
    const pending = bytes(server.port, 'GET /')
    const other = bytes(server.port, 'GET /')
    await expect.poll(() => pending.socket.bytesWritten + other.socket.bytesWritten).toBe(10)
    const ending = server.close()
    await expect.poll(() => received.length).toBe(2)
    const refused = new Promise((resolve) => connect(server.port, '127.0.0.1').once('error', resolve))
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' })
    pending.socket.write(handshake('/ws/work').slice(5))
    other.socket.write(handshake('/ws/work', 'Sec-WebSocket-Protocol: sdk.v1\r\n').slice(5))
    await pending.ended
    await expect.poll(other.text).toContain('SERVICE_UNAVAILABLE')
    expect(pending.text()).toMatch(/^HTTP\/1.1 503 [^]*SERVICE_UNAVAILABLE/)
    expect(other.text()).toContain(`${String.fromCodePoint(1013 >> 8, 1013 & 255)}SERVICE_UNAVAILABLE`)
    finish()
    await ending
  })

  it('does not wait for a client that has left, nor for a handler beyond the grace period', async () => {
    const url = await start()
    const { socket } = await open(url)
    socket.send('1')
    await expect.poll(() => running).toBe(1)
    const { socket: other } = await open(url)
    const started = performance.now()
    const ending = server.close({ grace: 1_500 })
    other.terminate()
    await ending
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  it('terminates a client that does not respond to the close frame', async () => {
    await start()
    const { text, socket, ended } = bytes(server.port, handshake('/ws/work'))
    await expect.poll(text).toContain('\r\n\r\n')
    socket.pause()
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeLessThan(5_000)
    socket.resume()
    await ended
  })

  it('closes immediately if no socket is open', async () => {
    await start()
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('drainSockets', () => {
  it('disconnects at most 200 clients per second', async () => {
    const requested: number[] = []
    const all = new Set<DrainableClient>()
    const started = performance.now()
    for (let i = 0; i < 100; i++) {
      const client: DrainableClient = {
        connection: {
          requestReconnect: () => requested.push(performance.now() - started),
          settled: () => Promise.resolve(),
        },
        transport: { close: () => all.delete(client), terminate() {} },
      }
      all.add(client)
    }
    await drainSockets(all, 30_000)
    expect(requested).toHaveLength(100)
    // No client is asked too early: the requests are at least 5 ms apart on average.
    expect(requested.every((at, nth) => at >= nth * 5 - 1)).toBe(true)
    expect(all.size).toBe(0)
  })

  it('resolves only after terminated clients have ended', async () => {
    const all = new Set<DrainableClient>()
    const client: DrainableClient = {
      connection: { requestReconnect() {}, settled: () => Promise.resolve() },
      transport: { close() {}, terminate: () => void setTimeout(() => all.delete(client), 50) },
    }
    all.add(client)
    await drainSockets(all, 1_000)
    expect(all.size).toBe(0)
  })
})
