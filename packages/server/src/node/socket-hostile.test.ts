import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, createRouter, createSocket, serve, type Server } from '../index.ts'
import { bytes, closed, createErrorLog, frame, handshake, open } from './socket-client.test.fixture.ts'

const { log, errors } = createErrorLog()
const rejected: unknown[] = []
const fail = async (): Promise<never> => {
  await turn()
  throw new Error('it went wrong')
}
const router = createRouter()
  .socket('/ws/echo', createSocket({ message: (peer, message) => peer.send(message) }))
  .socket('/ws/open', createSocket({ open: fail }))
  .socket('/ws/message', createSocket({ message: fail }))
  .socket('/ws/close', createSocket({ close: fail }))
const limits = { socket: { perAddress: 10_000 } }
const app = createApp({ log, router, limits, rateLimit: false, metrics: true })
let server: Server
let base: string
const note = (reason: unknown): unknown => rejected.push(reason)
beforeAll(async () => {
  server = await serve(app, { port: 0, survive: false })
  base = `ws://127.0.0.1:${server.port}`
  process.on('unhandledRejection', note)
})
afterAll(async () => {
  process.off('unhandledRejection', note)
  await server.close()
})
beforeEach(() => {
  errors.length = 0
})

async function count(): Promise<string | undefined> {
  const response = await app.fetch(new Request('http://a/metrics'))
  return /^websocket_connections (\d+)$/m.exec(await response.text())?.[1]
}

async function expectHealthy(): Promise<void> {
  await expect.poll(count, { timeout: 10_000 }).toBe('0')
  const { socket, received } = await open(`${base}/ws/echo`)
  socket.send('"well"')
  await expect.poll(() => received).toEqual(['"well"'])
  socket.close()
  await closed(socket)
  await expect.poll(count).toBe('0')
  expect(rejected).toEqual([])
}

describe('a handler that rejects', () => {
  it('closes the connection with 4500 in open', async () => {
    const { socket } = await open(`${base}/ws/open`)
    expect((await closed(socket))[0]).toBe(4500)
    await expectHealthy()
    expect(errors).not.toEqual([])
  })

  it('sends an error and keeps the connection in message', async () => {
    const { socket, received } = await open(`${base}/ws/message`)
    socket.send('1')
    socket.send('2')
    await expect.poll(() => received.length).toBe(2)
    expect(received.join('')).not.toContain('it went wrong')
    socket.close()
    await expectHealthy()
  })

  it('is logged in close', async () => {
    const { socket } = await open(`${base}/ws/close`)
    socket.close()
    await expect.poll(() => errors.length).toBe(1)
    await expectHealthy()
  })
})

describe('a client', () => {
  it.each([
    ['sends invalid frames', Buffer.from('hello, this is no frame'), 1002],
    ['sends frames without a mask', frame(0x81, '"x"', { isMasked: false }), 1002],
    ['sends a frame with an unknown opcode', frame(0x83, 'x'), 1002],
    ['continues a message that it has not started', frame(0x80, 'x'), 1002],
    ['sends invalid UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
  ])('is closed with the standard code if it %s', async (_name, sent, code) => {
    const { ended, text, socket } = bytes(server.port, handshake('/ws/echo'))
    await expect.poll(text).toContain('\r\n\r\n')
    socket.write(sent)
    await ended
    const response = Buffer.from(text(), 'latin1')
    expect(response.subarray(response.indexOf('\r\n\r\n') + 4).readUInt16BE(2)).toBe(code)
    await expectHealthy()
  })

  it('can send a fragmented message together with its handshake', async () => {
    const pieces = [frame(0x01, '"a'), frame(0x89, 'ping'), frame(0x00, 'b'), frame(0x80, 'c"'), frame(0x81, '1')]
    const { text, socket } = bytes(server.port, Buffer.concat([Buffer.from(handshake('/ws/echo')), ...pieces]))
    await expect.poll(text).toContain('\u008A\u0004ping\u0081\u0005"abc"\u0081\u00011')
    socket.destroy()
    await expectHealthy()
  })

  it.each([
    ['messages', [], (text: string) => JSON.stringify(text)],
    ['ping frames', ['sdk.v1'], (x: string) => JSON.stringify({ o: 'p', x })],
  ])('is throttled without loss if it sends %s too fast', async (_name, protocols, toFrame) => {
    const { socket, received } = await open(`${base}/ws/echo`, { protocols })
    const started = performance.now()
    if (protocols.length > 0) socket.send(JSON.stringify({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }))
    await expect.poll(() => received.length).toBe(protocols.length)
    for (let n = 0; n < 6; n++) socket.send(toFrame('x'.repeat(1_000_000)))
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(protocols.length + 6)
    // Four immediately, then one more per second.
    expect(performance.now() - started).toBeGreaterThan(700)
    socket.close()
    await expectHealthy()
  })

  it('leaves no connection behind if it aborts its handshake, 500 times', async () => {
    const whole = handshake('/ws/echo')
    for (let i = 0; i < 500; i += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const cut = at % 3 === 0 ? whole : whole.slice(0, 10 + ((i + at) % (whole.length - 10)))
          const { socket, ended } = bytes(server.port, '')
          await new Promise((resolve) => socket.once('connect', resolve))
          socket.write(cut, () => socket.resetAndDestroy())
          await ended
        }),
      )
    }
    await expectHealthy()
  })
})
