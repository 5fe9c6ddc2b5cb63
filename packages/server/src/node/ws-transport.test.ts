import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { MessageRate } from '../socket/message-rate.ts'
import { closed, frame, open } from './socket-client.test.fixture.ts'
import { createWsServer, WsTransport } from './ws-transport.ts'

let http: HttpServer
let url: string
const arrived: { transport: WsTransport; stream: Socket }[] = []
beforeAll(async () => {
  http = createServer()
  const server = createWsServer(1_000_000)
  http.on('upgrade', (incoming, stream: Socket, head) =>
    server.handleUpgrade(incoming, stream, head, (socket) => {
      const transport = new WsTransport(socket, stream, new MessageRate({ perSecond: 1000, burst: 1_000_000 }))
      socket.on('message', (data: Buffer) => transport.send(data.toString()))
      socket.on('error', () => {})
      arrived.push({ transport, stream })
    }),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`
})
afterAll(() => {
  http.closeAllConnections()
  http.close()
})

async function pair(): Promise<{ transport: WsTransport; stream: Socket } & Awaited<ReturnType<typeof open>>> {
  const client = await open(url)
  const server = arrived.pop()
  if (server === undefined) throw new Error('nobody came')
  return { ...client, ...server }
}

describe('WsTransport', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, 300_000])('sends a text of %i bytes', async (length) => {
    const { transport, received, socket } = await pair()
    const text = 'é'.repeat(length >> 1) + 'x'.repeat(length % 2)
    transport.send(text)
    transport.sendShared({ text })
    transport.send('end')
    await expect.poll(() => received.length).toBe(3)
    expect(received).toEqual([text, text, 'end'])
    socket.terminate()
  })

  it('encodes a shared text once for all clients', async () => {
    const pairs = [await pair(), await pair(), await pair()]
    const shared: { text: string; encoded?: unknown } = { text: 'to all: 🙂' }
    const made = pairs.map(({ transport }) => {
      transport.sendShared(shared)
      return shared.encoded
    })
    expect(made[0]).toBeInstanceOf(Buffer)
    expect(new Set(made).size).toBe(1)
    for (const { received, socket } of pairs) {
      await expect.poll(() => received).toEqual(['to all: 🙂'])
      socket.terminate()
    }
  })

  it('reports the buffered bytes while a client does not read, and the flushed bytes once it does', async () => {
    const { transport, stream, socket, received } = await pair()
    socket.pause()
    const text = 'x'.repeat(900_000)
    let sent = 0
    // The operating system buffers some megabytes first.
    while (transport.buffered < 4_000_000) {
      transport.send(text)
      sent++
      await new Promise((resolve) => setImmediate(resolve))
    }
    const before = transport.flushed
    let isDrained = false
    stream.on('drain', () => (isDrained = true))
    socket.resume()
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(sent)
    expect(isDrained).toBe(true)
    expect(transport.buffered).toBe(0)
    expect(transport.flushed - before).toBeGreaterThan(3_000_000)
    expect(transport.flushed).toBe(stream.bytesWritten)
    socket.terminate()
  })

  it('reports the received bytes of an incomplete message', async () => {
    const { transport, socket, stream } = await pair()
    const before = transport.received
    const onData = vi.fn<() => void>()
    stream.on('data', onData)
    const { _socket: client } = socket as unknown as { _socket: Socket }
    client.write(frame(1, 'x'.repeat(100)).subarray(0, 50))
    await expect.poll(() => onData).toHaveBeenCalled()
    expect(transport.received - before).toBe(50)
    socket.terminate()
  })

  it('reads nothing while it is paused, and everything afterwards', async () => {
    const { transport, socket, received } = await pair()
    transport.pause()
    socket.send('one')
    transport.send('still sent')
    await expect.poll(() => received).toEqual(['still sent'])
    transport.resume()
    await expect.poll(() => received).toEqual(['still sent', 'one'])
    socket.terminate()
  })

  it('pauses while the rate is exceeded or too many bytes are buffered', async () => {
    const calls: string[] = []
    const socket = { readyState: WebSocket.OPEN, pause: () => calls.push('pause'), resume: () => calls.push('resume') }
    const stream = { bytesRead: 0, writableLength: 0 }
    vi.useFakeTimers()
    try {
      const rate = new MessageRate({ perSecond: 10_000, burst: 10_000 })
      const transport = new WsTransport(socket as unknown as WebSocket, stream as unknown as Socket, rate)
      const come = (bytes: number): void => {
        stream.bytesRead += bytes
        transport.onReceived()
      }
      come(9_936) // plus the cost of a frame
      expect(calls).toEqual([])
      come(936)
      expect(calls).toEqual(['pause'])
      transport.pause()
      vi.advanceTimersByTime(99)
      transport.resume()
      expect(calls).toEqual(['pause', 'pause'])
      vi.advanceTimersByTime(1)
      expect(calls).toEqual(['pause', 'pause', 'resume'])
      stream.writableLength = 3_000_000
      come(936)
      vi.advanceTimersByTime(100)
      expect(calls.slice(3)).toEqual(['pause'])
      transport.onDrain()
      expect(calls.slice(3)).toEqual(['pause', 'resume'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('closes with a code and a reason while it is paused, after all sent messages', async () => {
    const { transport, socket, received } = await pair()
    transport.pause()
    transport.send('last words')
    transport.close(4000, 'é'.repeat(100))
    transport.send('after the end')
    expect(await closed(socket)).toEqual([4000, 'é'.repeat(61)])
    expect(received).toEqual(['last words'])
    transport.close(4000, 'twice')
    transport.ping()
    transport.pause()
    transport.terminate()
    transport.send('to nobody')
  })

  it('adds the error code to the reason if the close code is a status', async () => {
    for (const [code, reason, expected] of [
      [4404, 'no such socket', 'NOT_FOUND: no such socket'],
      [4508, 'too slow', 'HTTP_508: too slow'],
      [4403, 'SENT_OUT: not you', 'SENT_OUT: not you'],
      [4409, '', 'CONFLICT'],
      [1012, 'restart', 'restart'],
    ] as const) {
      const { transport, socket } = await pair()
      transport.close(code, reason)
      expect(await closed(socket)).toEqual([code, expected])
    }
  })

  it('sends a ping', async () => {
    const { transport, socket } = await pair()
    const pinged = new Promise((resolve) => socket.once('ping', resolve))
    transport.ping()
    expect(await pinged).toEqual(Buffer.alloc(0))
    socket.terminate()
  })
})
