import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { seen, untilSeen, type Line } from './line.ts'
import type { RunningServer } from './runtimes.ts'

/** A client and the messages that it has received. */
interface Client {
  readonly socket: WebSocket
  readonly received: string[]
  readonly closed: Promise<[code: number, reason: string]>
}

const SDK = ['sdk.v1']
const toHello = (sid: string | null = null, rx = 0): string => JSON.stringify({ o: 'hi', v: 1, sid, rx, pos: {} })

/** Connects a client. Rejects with the status if the server refuses the handshake. */
function open(server: RunningServer, path: string, protocols: string[] = [], headers = {}): Promise<Client> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, protocols, { headers })
  const received: string[] = []
  socket.on('message', (data: Buffer) => received.push(data.toString()))
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  )
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ socket, received, closed }))
    socket.once('unexpected-response', (_, response) => {
      response.resume()
      reject(new Error(`status ${response.statusCode}`))
      socket.terminate()
    })
    socket.on('error', reject)
  })
}

/** Connects an `sdk.v1` client. Resolves after its `ok` frame, with its session id. */
async function greet(server: RunningServer, path: string, hello = toHello()): Promise<Client & { sid: string }> {
  const client = await open(server, path, SDK)
  client.socket.send(hello)
  await expect.poll(() => client.received.length).toBeGreaterThan(0)
  const { sid } = JSON.parse(client.received[0] ?? '') as { sid: string }
  return { ...client, sid }
}

/** The reason why workerd cannot drain. */
export const NO_DRAIN = 'Cloudflare stops Workers and Durable Objects itself, and clients reconnect'

/** All lines about sockets. */
export const SOCKET_LINES: readonly Line[] = [
  {
    part: 'Sockets',
    title: 'Raw: a JSON message per frame, in order, and an error frame for an invalid message',
    async check(server) {
      const { socket, received } = await open(server, '/ws/typed')
      expect(socket.protocol).toBe('')
      for (let n = 0; n < 50; n++) socket.send(JSON.stringify({ n }))
      await expect.poll(() => received.length).toBe(50)
      expect(received).toEqual(Array.from({ length: 50 }, (_, n) => JSON.stringify({ n })))
      socket.send('{"n":"x"}')
      await expect.poll(() => received.at(-1)).toContain('"code":"INVALID_REQUEST"')
      socket.close()
    },
  },
  {
    part: 'Sockets',
    title: '`sdk.v1`: ack after the handler, duplicates handled once, an error frame if the handler throws',
    async check(server) {
      const { socket, received } = await greet(server, '/ws/echo')
      expect(socket.protocol).toBe('sdk.v1')
      const { handled = 0 } = await seen(server)
      for (const text of ['{"o":"m","i":1,"d":"a"}', '{"o":"m","i":1,"d":"a","r":1}', '{"o":"m","i":2,"d":"b"}'])
        socket.send(text)
      await expect.poll(() => received).toContain('{"o":"a","i":2}')
      expect((await seen(server))['handled']).toBe(handled + 2)
      socket.close()
      const throws = await greet(server, '/ws/throws')
      throws.socket.send('{"o":"m","i":1,"d":1}')
      await expect.poll(() => throws.received.join('\n')).toMatch(/"o":"e","i":1.*INTERNAL_SERVER_ERROR/)
      throws.socket.close()
    },
  },
  {
    part: 'Sockets',
    title: 'A session resumes after its connection was lost, and receives what it missed',
    async check(server) {
      const { socket, sid, closed } = await greet(server, '/ws/slow')
      socket.send('{"o":"m","i":1,"d":"late"}')
      // A message that has not arrived yet may be lost with the connection. Its client would send it again.
      await untilSeen(server, 'started', 1)
      socket.terminate()
      await closed
      await untilSeen(server, 'handled-slowly', 1)
      const again = await greet(server, '/ws/slow', toHello(sid))
      expect(JSON.parse(again.received[0] ?? '')).toMatchObject({ res: true, ack: 1 })
      await expect.poll(() => again.received.join('\n')).toContain('"o":"m","i":1,"d":"late"')
      again.socket.close()
    },
  },
  {
    part: 'Sockets',
    title: 'Rooms: every member receives a message, with identical bytes, and leaves when it disconnects',
    async check(server) {
      const { left = 0 } = await seen(server)
      const members = [await greet(server, '/ws/room'), await greet(server, '/ws/room')]
      const raw = await open(server, '/ws/room')
      members[0]?.socket.send('{"o":"m","i":1,"d":"to all"}')
      await expect.poll(() => raw.received).toEqual(['"to all"'])
      const isOfRoom = (text: string): boolean => text.includes('"s":"room"')
      await expect.poll(() => members.every(({ received }) => received.some(isOfRoom))).toBe(true)
      const [first, second] = members.map(({ received }) => received.find(isOfRoom))
      expect(first).toBe(second)
      for (const { socket } of [...members, raw]) socket.close()
      await untilSeen(server, 'left', left + 1)
    },
  },
  {
    part: 'Sockets',
    title: 'Rejections: a status for raw clients, a close code for `sdk.v1`, and no connection from other origins',
    async check(server) {
      await expect(open(server, '/ws/none')).rejects.toThrow('status 404')
      expect((await (await open(server, '/ws/none', SDK)).closed)[0]).toBe(4404)
      const headers = { origin: 'https://evil.example' }
      await expect(open(server, '/ws/echo', [], headers)).rejects.toThrow('status 403')
      expect((await (await open(server, '/ws/echo', SDK, headers)).closed)[0]).toBe(4403)
    },
  },
  {
    part: 'Sockets',
    title: 'Close codes: 4000 by the app, 4400 for binary and invalid frames, 4413 and 1009 for large messages',
    async check(server) {
      const finish = await open(server, '/ws/finish')
      finish.socket.send('1')
      expect((await finish.closed)[0]).toBe(4000)
      const binary = await open(server, '/ws/echo')
      binary.socket.send(Buffer.from([1]))
      expect((await binary.closed)[0]).toBe(4400)
      const invalid = await greet(server, '/ws/echo')
      invalid.socket.send('{}')
      expect((await invalid.closed)[0]).toBe(4400)
      const large = JSON.stringify('x'.repeat(120_000))
      const sdk = await greet(server, '/ws/echo')
      sdk.socket.send(`{"o":"m","i":1,"d":${large}}`)
      expect((await sdk.closed)[0]).toBe(4413)
      const raw = await open(server, '/ws/echo')
      raw.socket.send(large)
      expect((await raw.closed)[0]).toBe(1009)
    },
  },
  {
    part: 'Sockets',
    title: 'At most 20 connections of an address: 4429',
    async check(server) {
      const all = await Promise.all(Array.from({ length: 20 }, () => open(server, '/ws/echo')))
      await expect(open(server, '/ws/echo')).rejects.toThrow('status 429')
      for (const { socket } of all) socket.close()
      await Promise.all(all.map(({ closed }) => closed))
      await expect.poll(() => open(server, '/ws/echo').then(({ socket }) => (socket.close(), true))).toBe(true)
    },
  },
  {
    part: 'Sockets',
    title: 'Raw clients are pinged',
    lacks: { workerd: 'Workers cannot send pings' },
    async check(server) {
      const { socket } = await open(server, '/ws/echo')
      await new Promise((resolve) => socket.once('ping', resolve))
      socket.close()
    },
  },
  {
    part: 'Sockets',
    title: 'A client that does not read is disconnected',
    lacks: { workerd: 'Workers do not report how much they have buffered for a client' },
    async check(server) {
      const { socket, closed } = await open(server, '/ws/flood')
      socket.on('error', () => {})
      socket.send('1')
      socket.pause()
      await untilSeen(server, 'left-flood', 1)
      socket.resume()
      await closed
    },
  },
  {
    part: 'Sockets',
    title: 'Reading pauses while a client sends faster than its messages are handled',
    lacks: {
      bun: 'Bun cannot stop reading: clients with more than 256 waiting messages are closed with 4429',
      workerd: 'Workers cannot stop reading: clients with more than 256 waiting messages are closed with 4429',
    },
    async check(server) {
      const { socket, received } = await greet(server, '/ws/slow')
      const text = 'x'.repeat(90_000)
      for (let i = 1; i <= 200; i++) socket.send(JSON.stringify({ o: 'm', i, d: text }))
      await expect.poll(() => received.length).toBeGreaterThan(3)
      expect(socket.bufferedAmount).toBeGreaterThan(0)
      expect(socket.readyState).toBe(WebSocket.OPEN)
      socket.terminate()
    },
  },
  {
    part: 'Drain',
    title: 'SIGTERM: `bye` for `sdk.v1`, running handlers finish and are acknowledged, then 1012',
    lacks: { workerd: NO_DRAIN },
    isLast: true,
    async check(server) {
      const raw = await open(server, '/ws/echo')
      const sdk = await greet(server, '/ws/slow')
      sdk.socket.send('{"o":"m","i":1,"d":"last"}')
      await untilSeen(server, 'started', 1)
      const exit = server.stop()
      expect(await Promise.all([raw.closed, sdk.closed])).toEqual([
        [1012, 'restart'],
        [1012, 'restart'],
      ])
      expect(sdk.received.join('\n')).toMatch(/"o":"bye"[^]*"d":"last"[^]*\{"o":"a","i":1\}/)
      expect(await exit).toBe(0)
    },
  },
]
