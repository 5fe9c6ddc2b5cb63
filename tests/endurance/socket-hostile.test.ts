import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createApp, createRouter, createSocket, serve, type Log, type Server } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'

/** The timeout for a flood in ms, which is long because a busy machine is slow. */
const PATIENCE = 100_000
const HANDSHAKES = choose(5_000, 250)
/** Bytes of a flood: more than the server reads before it pauses, plus the buffers of the system. */
const FLOOD = choose(15_000_000, 8_000_000)

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const app = createApp({
  log: silent,
  rateLimit: false,
  metrics: true,
  limits: { socket: { perAddress: 10_000, rate: false } },
  router: createRouter().socket('/ws/echo', createSocket({ message: (peer, message) => peer.send(message) })),
})
let server: Server
const folder = temporaryFolder('hostile')
/** A pipe in addition to the port: the system buffers megabytes for a TCP connection, but only 0.2 MB for a pipe. */
const pipe = join(folder.path, 'pipe')
const pipeServer = createServer((socket) => server.http.emit('connection', socket))
beforeAll(async () => {
  server = await serve(app, { port: 0 })
  await once(pipeServer.listen(pipe), 'listening')
})
afterAll(async () => {
  pipeServer.close()
  await server.close()
  folder.remove()
})

async function count(): Promise<string | undefined> {
  const response = await app.fetch(new Request('http://a/metrics'))
  return /^websocket_connections (\d+)$/m.exec(await response.text())?.[1]
}

function handshake(lines = ''): string {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13'
  return `GET /ws/echo HTTP/1.1\r\nHost: a\r\n${upgrade}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${lines}\r\n`
}

/** A client's frame, masked with zeros. */
function frame(opcode: number, payload: string): Buffer {
  return Buffer.concat([Buffer.from([opcode, payload.length | 0x80, 0, 0, 0, 0]), Buffer.from(payload)])
}

const HI = '{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}'

async function connected(to: { port: number; host: string } | { path: string }): Promise<Socket> {
  const socket = connect(to as { path: string }).on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}

/** Waits for a text message. */
function waitFor(socket: Socket, text: string): Promise<void> {
  let all = ''
  return new Promise((resolve) => {
    socket.on('data', (data) => {
      all += data.toString('latin1')
      if (all.includes(text)) resolve()
    })
  })
}

describe('a client that does not read and floods the server', () => {
  it.each([
    ['pings', '', '0', frame(0x89, 'x'.repeat(100))],
    ['probes of sdk.v1', 'Sec-WebSocket-Protocol: sdk.v1\r\n', HI, frame(0x81, '{"o":"p"}')],
  ])(
    'with %s is paused until it reads',
    async (_name, lines, hello, one) => {
      const ours = new Promise<Socket>((resolve) => server.http.once('connection', resolve))
      const socket = await connected({ path: pipe })
      socket.write(handshake(lines) + frame(0x81, hello).toString('latin1'), 'latin1')
      await waitFor(socket, lines === '' ? '101' : '"ok"')
      socket.pause()
      const flood = Buffer.concat(Array.from({ length: Math.ceil(FLOOD / one.length) }, () => one))
      socket.write(flood)
      const serverSide = await ours
      await expect.poll(() => serverSide.writableLength, { timeout: PATIENCE }).toBeGreaterThan(1_000_000)
      let read = 0
      await expect.poll(() => read === (read = serverSide.bytesRead), { interval: 500, timeout: PATIENCE }).toBe(true)
      expect(serverSide.writableLength).toBeLessThan(4_000_000)
      expect(serverSide.bytesRead).toBeLessThan(flood.length)
      socket.on('data', () => {}).resume()
      await expect.poll(() => serverSide.bytesRead, { timeout: PATIENCE }).toBeGreaterThan(flood.length)
      socket.destroy()
      await expect.poll(count).toBe('0')
    },
    3 * PATIENCE,
  )
})

describe(`${HANDSHAKES} aborted handshakes`, () => {
  it('leave no connections open', async () => {
    const whole = handshake()
    let isSeen = false
    for (let i = 0; i < HANDSHAKES; i += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const socket = await connected({ port: server.port, host: '127.0.0.1' })
          const cut = at % 3 === 0 ? whole : whole.slice(0, 10 + ((i + at) % (whole.length - 10)))
          await new Promise((resolve) => socket.write(cut, resolve))
          socket.resetAndDestroy()
        }),
      )
      isSeen ||= (await count()) !== '0'
    }
    await expect.poll(count).toBe('0')
    expect(isSeen).toBe(true)
  })
})
