import { decodeServerFrame, SUBPROTOCOL, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { createApp, createRouter, createSocket, serve, type Log, type Server } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const left: string[] = []

const chat = createSocket({
  receive: z.object({ text: z.string().max(10) }),
  async open(peer) {
    await peer.join('lobby')
    peer.send({ welcome: true })
  },
  async message(peer, { text }) {
    if (text === 'throw') throw new Error('secret')
    if (text === 'bye') return peer.close('enough')
    if (text === 'slow') await new Promise((resolve) => setTimeout(resolve, 20))
    await peer.publish('lobby', { text })
  },
  close: (peer) => left.push(peer.id),
})

const app = createApp({ log: silent, router: createRouter().socket('/ws/chat', chat) })
let server: Server
beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(() => server.close())

interface Client {
  readonly socket: WebSocket
  readonly received: string[]
  send(value: unknown): void
  until(count: number): Promise<string[]>
}

async function open(protocols: string[] = [], headers: Record<string, string> = {}): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws/chat`, protocols, { headers })
  const received: string[] = []
  socket.on('message', (data: Buffer) => received.push(data.toString()))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    socket,
    received,
    send: (value) => socket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    async until(count) {
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(count)
      return received
    },
  }
}

const closed = (socket: WebSocket): Promise<[number, string]> =>
  new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString()])))

async function openSdk(): Promise<{
  client: Client
  frames: () => (ServerFrame | null)[]
  sendFrame(frame: ClientFrame): void
}> {
  const client = await open([SUBPROTOCOL])
  const sendFrame = (frame: ClientFrame): void => client.send(frame)
  sendFrame({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
  return { client, sendFrame, frames: () => client.received.map(decodeServerFrame) }
}

describe('a raw socket', () => {
  it('sends and receives one JSON message per frame', async () => {
    const client = await open()
    client.send({ text: 'hello' })
    expect(await client.until(2)).toEqual(['{"welcome":true}', '{"text":"hello"}'])
    client.socket.close()
  })

  it('responds to an invalid message with an error frame and stays open', async () => {
    const client = await open()
    for (const bad of ['{', { text: 'much too long' }, { text: 'throw' }, { text: 'fine' }]) client.send(bad)
    const [, ...responses] = (await client.until(5)).map((text) => JSON.parse(text) as { error?: { code: string } })
    expect(responses.map((response) => response.error?.code)).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'INTERNAL_SERVER_ERROR',
      undefined,
    ])
    expect(client.received.join('')).not.toContain('secret')
    client.socket.close()
  })

  it('handles messages in order, one at a time', async () => {
    const client = await open()
    for (const text of ['slow', 'a', 'b']) client.send({ text })
    expect((await client.until(4)).slice(1)).toEqual(['{"text":"slow"}', '{"text":"a"}', '{"text":"b"}'])
    client.socket.close()
  })
})

describe('an sdk.v1 socket', () => {
  it('responds to hi with ok, acks after the handler and numbers room messages', async () => {
    const { client, sendFrame, frames } = await openSdk()
    sendFrame({ o: 'm', i: 1, d: { text: 'one' } })
    sendFrame({ o: 'm', i: 2, d: { text: 'two' } })
    sendFrame({ o: 'p' })
    await client.until(7)
    expect(client.socket.protocol).toBe(SUBPROTOCOL)
    expect(frames()[0]).toMatchObject({ o: 'ok', res: false, ack: 0 })
    const room = frames().filter((frame) => frame?.o === 'm' && frame.s === 'lobby') as { i: number; d: unknown }[]
    expect(room.map(({ d }) => d)).toEqual([{ text: 'one' }, { text: 'two' }])
    expect(room[1]?.i).toBe((room[0]?.i ?? 0) + 1)
    await expect.poll(() => frames().findLast((frame) => frame?.o === 'a')).toEqual({ o: 'a', i: 2 })
    expect(frames()).toContainEqual({ o: 'q' })
    client.socket.close()
  })

  it('sends an error frame with the number of the failed message', async () => {
    const { client, sendFrame, frames } = await openSdk()
    sendFrame({ o: 'm', i: 1, d: { text: 'throw' } })
    await expect
      .poll(() => frames().find((frame) => frame?.o === 'e'))
      .toMatchObject({ i: 1, error: { code: 'INTERNAL_SERVER_ERROR' } })
    client.socket.close()
  })

  it.each([['{"o":"m","i":1,"d":0}'], ['nonsense'], ['{"o":"hi","v":9}']])(
    'closes with 4400 on %s before hi',
    async (frame) => {
      const { socket, send } = await open([SUBPROTOCOL])
      send(frame)
      expect((await closed(socket))[0]).toBe(4400)
    },
  )

  it('closes permanently and runs the close handler if the app closes it', async () => {
    left.length = 0
    const { client, sendFrame, frames } = await openSdk()
    sendFrame({ o: 'm', i: 1, d: { text: 'bye' } })
    expect(await closed(client.socket)).toEqual([4000, 'enough'])
    const error = { code: 'CLOSED', message: 'enough', details: [] }
    expect(frames().find((frame) => frame?.o === 'e')).toEqual({ o: 'e', i: 0, status: 0, error })
    await expect.poll(() => left).toHaveLength(1)
  })

  it('closes without an error frame if it is raw', async () => {
    const { socket, send, received } = await open()
    send('{"text":"bye"}')
    expect(await closed(socket)).toEqual([4000, 'enough'])
    expect(received).toEqual(['{"welcome":true}'])
  })
})

describe('the upgrade', () => {
  const refusal = (path: string, headers = {}): Promise<[number | undefined, string]> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers })
      socket.once('open', () => reject(new Error('it was let in')))
      socket.on('error', () => {})
      socket.once('unexpected-response', (_request, response) => {
        let text = ''
        response
          .on('data', (data: Buffer) => (text += data.toString()))
          .on('end', () => resolve([response.statusCode, text]))
      })
    })

  it('returns 404 and the error envelope for an unknown path', async () => {
    const [status, text] = await refusal('/ws/nothing')
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
  })

  it('returns 403 for a page of another origin', async () => {
    const [status, text] = await refusal('/ws/chat', { origin: 'https://evil.example' })
    expect([status, JSON.parse(text)]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
  })
})
