import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { MessageRate } from '../socket/message-rate.ts'
import { closed, frame, open } from './socket-client.test.fixture.ts'
import { createWsServer, WsTransport } from './ws-transport.ts'

let http: HttpServer
let url: string
const arrived: { wire: WsTransport; stream: Socket }[] = []
beforeAll(async () => {
  http = createServer()
  const server = createWsServer(1_000_000)
  http.on('upgrade', (incoming, stream: Socket, head) =>
    server.handleUpgrade(incoming, stream, head, (socket) => {
      const wire = new WsTransport(socket, stream, new MessageRate({ perSecond: 1000, burst: 1_000_000 }))
      socket.on('message', (data: Buffer) => wire.send(data.toString()))
      socket.on('error', () => {})
      arrived.push({ wire, stream })
    }),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`
})
afterAll(() => {
  http.closeAllConnections()
  http.close()
})

async function pair(): Promise<{ wire: WsTransport; stream: Socket } & Awaited<ReturnType<typeof open>>> {
  const client = await open(url)
  const server = arrived.pop()
  if (server === undefined) throw new Error('nobody came')
  return { ...client, ...server }
}

describe('WsWire', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, 300_000])('carries a text of %i bytes', async (length) => {
    const { wire, received, socket } = await pair()
    const text = 'é'.repeat(length >> 1) + 'x'.repeat(length % 2)
    wire.send(text)
    wire.sendShared({ text })
    wire.send('end')
    await expect.poll(() => received.length).toBe(3)
    expect(received).toEqual([text, text, 'end'])
    socket.terminate()
  })

  it('makes a shared text once, for all', async () => {
    const pairs = [await pair(), await pair(), await pair()]
    const shared: { text: string; encoded?: unknown } = { text: 'to all: 🙂' }
    const made = pairs.map(({ wire }) => {
      wire.sendShared(shared)
      return shared.encoded
    })
    expect(made[0]).toBeInstanceOf(Buffer)
    expect(new Set(made).size).toBe(1)
    for (const { received, socket } of pairs) {
      await expect.poll(() => received).toEqual(['to all: 🙂'])
      socket.terminate()
    }
  })

  it('tells what waits for a client that does not read, and what it takes once it does', async () => {
    const { wire, stream, socket, received } = await pair()
    socket.pause()
    const text = 'x'.repeat(900_000)
    let sent = 0
    // The system takes some megabytes before anything waits.
    while (wire.buffered < 4_000_000) {
      wire.send(text)
      sent++
      await new Promise((resolve) => setImmediate(resolve))
    }
    const before = wire.flushed
    let isDrained = false
    stream.on('drain', () => (isDrained = true))
    socket.resume()
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(sent)
    expect(isDrained).toBe(true)
    expect(wire.buffered).toBe(0)
    expect(wire.flushed - before).toBeGreaterThan(3_000_000)
    expect(wire.flushed).toBe(stream.bytesWritten)
    socket.terminate()
  })

  it('tells what has come of a message that is not whole yet', async () => {
    const { wire, socket, stream } = await pair()
    const before = wire.received
    const heard = vi.fn<() => void>()
    stream.on('data', heard)
    const { _socket: client } = socket as unknown as { _socket: Socket }
    client.write(frame(1, 'x'.repeat(100)).subarray(0, 50))
    await expect.poll(() => heard).toHaveBeenCalled()
    expect(wire.received - before).toBe(50)
    socket.terminate()
  })

  it('reads nothing while it is paused, and all of it afterwards', async () => {
    const { wire, socket, received } = await pair()
    wire.pause()
    socket.send('one')
    wire.send('still told')
    await expect.poll(() => received).toEqual(['still told'])
    wire.resume()
    await expect.poll(() => received).toEqual(['still told', 'one'])
    socket.terminate()
  })

  it('reads no more for a while where more came than may, whatever else it waits for', async () => {
    const calls: string[] = []
    const socket = { readyState: WebSocket.OPEN, pause: () => calls.push('pause'), resume: () => calls.push('resume') }
    const stream = { bytesRead: 0, writableLength: 0 }
    vi.useFakeTimers()
    try {
      const pace = new MessageRate({ perSecond: 10_000, burst: 10_000 })
      const wire = new WsTransport(socket as unknown as WebSocket, stream as unknown as Socket, pace)
      const come = (bytes: number): void => {
        stream.bytesRead += bytes
        wire.onReceived()
      }
      come(9_936) // and what a frame costs
      expect(calls).toEqual([])
      come(936)
      expect(calls).toEqual(['pause'])
      wire.pause()
      vi.advanceTimersByTime(99)
      wire.resume()
      expect(calls).toEqual(['pause', 'pause'])
      vi.advanceTimersByTime(1)
      expect(calls).toEqual(['pause', 'pause', 'resume'])
      stream.writableLength = 3_000_000
      come(936)
      vi.advanceTimersByTime(100)
      expect(calls.slice(3)).toEqual(['pause'])
      wire.onDrain()
      expect(calls.slice(3)).toEqual(['pause', 'resume'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('closes with code and reason also while it is paused, after all that was sent', async () => {
    const { wire, socket, received } = await pair()
    wire.pause()
    wire.send('last words')
    wire.close(4000, 'é'.repeat(100))
    wire.send('after the end')
    expect(await closed(socket)).toEqual([4000, 'é'.repeat(61)])
    expect(received).toEqual(['last words'])
    wire.close(4000, 'twice')
    wire.ping()
    wire.pause()
    wire.terminate()
    wire.send('to nobody')
  })

  it('says the error code where the close code is a status, so that a client needs no table', async () => {
    for (const [code, reason, told] of [
      [4404, 'no such socket', 'NOT_FOUND: no such socket'],
      [4508, 'too slow', 'HTTP_508: too slow'],
      [4403, 'SENT_OUT: not you', 'SENT_OUT: not you'],
      [4409, '', 'CONFLICT'],
      [1012, 'restart', 'restart'],
    ] as const) {
      const { wire, socket } = await pair()
      wire.close(code, reason)
      expect(await closed(socket)).toEqual([code, told])
    }
  })

  it('pings', async () => {
    const { wire, socket } = await pair()
    const pinged = new Promise((resolve) => socket.once('ping', resolve))
    wire.ping()
    expect(await pinged).toEqual(Buffer.alloc(0))
    socket.terminate()
  })
})
