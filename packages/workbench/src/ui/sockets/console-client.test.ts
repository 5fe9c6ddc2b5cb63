import type { AuthSource } from '@sdk/frontend'
import { decodeClientFrame, type ServerFrame } from '@sdk/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createIdentitySource, createIdentityStore, type Identity } from '../data/identity.ts'
import { createConsoleClient, type ConsoleClient, type ConsoleMode } from './console-client.ts'
import { createFakeClock } from './fake-clock.test.fixture.ts'
import { createServerSockets } from './server-socket.test.fixture.ts'
import type { FrameLog } from './frame-log.ts'

const WELCOME: ServerFrame = { o: 'ok', sid: 's', res: false, ack: 0, hb: 20_000, win: 256, max: 1_048_576, spread: 0 }
const USER = { id: 'u1', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00.000Z' }

const opened: ConsoleClient[] = []
afterEach(() => opened.splice(0).forEach((client) => client.close()))

function open(mode: ConsoleMode, start: Identity = { kind: 'anonymous' }) {
  const clock = createFakeClock()
  const server = createServerSockets()
  const auth: AuthSource = createIdentitySource(createIdentityStore({ start }))
  const client = createConsoleClient({
    path: '/ws/rooms/:id',
    params: { id: 'a' },
    query: { n: '1' },
    mode,
    auth,
    clock,
    WebSocket: server.WebSocket,
    baseUrl: 'http://x.dev',
  })
  opened.push(client)
  return { client, clock, server }
}

/** Waits for pending promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

async function openWelcomed(start?: Identity) {
  const bench = open('sdk.v1', start)
  await settle()
  bench.server.last().accept('sdk.v1')
  bench.server.last().deliver(JSON.stringify(WELCOME))
  bench.clock.advance(20)
  return bench
}

function linesOf(log: FrameLog): string[] {
  return log.get().frames.map(({ from, text }) => `${from} ${text}`)
}

const frames = (received: readonly string[]): unknown[] => received.map(decodeClientFrame)

describe('createConsoleClient', () => {
  it('connects with sdk.v1 and the token of its user', async () => {
    const { client, clock, server } = await openWelcomed({ kind: 'user', user: USER, token: 'secret' })
    expect(server.last()).toMatchObject({ url: 'ws://x.dev/ws/rooms/a?n=1', protocols: ['sdk.v1', 'sdk.token.secret'] })
    expect(client.state.get()).toMatchObject({ status: 'open', pending: 0, isOver: false })
    expect(client.send('{ "text": "hi" }')).toBe(true)
    server.last().deliver('{"o":"m","i":1,"d":{"text":"hello"}}')
    clock.advance(20)
    expect(client.state.get().pending).toBe(1)
    expect(linesOf(client.messages)).toEqual([
      'note connected with sdk.v1',
      'client { "text": "hi" }',
      'server {"text":"hello"}',
    ])
    expect(linesOf(client.frames).slice(-2)).toEqual([
      'client {"o":"m","i":1,"d":{"text":"hi"}}',
      'server {"o":"m","i":1,"d":{"text":"hello"}}',
    ])
    server.last().deliver('{"o":"a","i":1}')
    expect(client.state.get().pending).toBe(0)
  })

  it('queues messages while the connection is down, and sends them after it reconnects', async () => {
    const { client, clock, server } = await openWelcomed()
    client.wire.setDown(true)
    expect(client.state.get()).toMatchObject({ status: 'reconnecting', lastClose: { code: 1006 } })
    for (const text of ['1', '2', '3']) expect(client.send(text)).toBe(true)
    clock.advance(5000)
    await settle()
    expect(client.state.get()).toMatchObject({ status: 'reconnecting', pending: 3 })
    expect(server.sockets).toHaveLength(1)
    client.wire.setDown(false)
    for (let turn = 0; turn < 60 && server.sockets.length === 1; turn++) {
      clock.advance(1000)
      await settle()
    }
    server.last().accept('sdk.v1')
    server.last().deliver(JSON.stringify(WELCOME))
    expect(frames(server.last().received).slice(1)).toMatchObject([
      { o: 'm', i: 1, d: 1 },
      { o: 'm', i: 2, d: 2 },
      { o: 'm', i: 3, d: 3 },
    ])
    expect(client.state.get()).toMatchObject({ status: 'open', pending: 3 })
  })

  it('reports lost and rejected messages', async () => {
    const { client, clock, server } = await openWelcomed()
    server.last().deliver('{"o":"gap","s":"lobby","from":3,"to":10}')
    client.send('{}')
    const error = { code: 'INVALID_REQUEST', message: 'text is missing', details: [{ pointer: '/text' }] }
    server.last().deliver(JSON.stringify({ o: 'e', i: 1, status: 400, error }))
    clock.advance(20)
    expect(client.state.get()).toMatchObject({ gaps: 1, error: { code: 'INVALID_REQUEST', details: error.details } })
    expect(linesOf(client.messages).slice(-3)).toEqual([
      'note gap: 7 messages were lost in the room lobby',
      'client {}',
      'note INVALID_REQUEST: text is missing',
    ])
  })

  it('reports an error and reconnects if the server stops responding', async () => {
    const { client, clock } = await openWelcomed()
    client.wire.pause(true)
    clock.advance(31_000)
    expect(client.state.get().status).toBe('reconnecting')
    expect(linesOf(client.messages).at(-1)).toBe('note NETWORK_ERROR: no response')
  })

  it('stops after a permanent close, and shows the reason', async () => {
    const { client, clock, server } = await openWelcomed()
    server.last().hangUp(4403, 'FORBIDDEN: not you')
    clock.advance(20)
    expect(client.state.get()).toMatchObject({ status: 'failed', isOver: true, lastClose: { code: 4403 } })
    expect(linesOf(client.messages).at(-1)).toBe(
      'note closed with 4403 (FORBIDDEN: not you): forbidden for this user or origin',
    )
    expect(client.send('1')).toBe(false)
  })

  it('supports raw mode: any text, no queue, no reconnect', () => {
    const { client, clock, server } = open('raw')
    expect(client.send('early')).toBe(false)
    server.last().accept('')
    expect(server.last()).toMatchObject({ url: 'ws://x.dev/ws/rooms/a?n=1', protocols: [] })
    expect(client.send('no JSON')).toBe(true)
    server.last().deliver('{"error":{"code":"INVALID_JSON"}}')
    server.last().hangUp(1012)
    clock.advance(60_000)
    expect(server.sockets).toHaveLength(1)
    expect(server.last().received).toEqual(['no JSON'])
    expect(client.state.get()).toMatchObject({ status: 'closed', isOver: true })
    expect(linesOf(client.messages)).toEqual([
      'note not sent: the socket is not open, and raw sockets do not queue messages',
      'note connected',
      'client no JSON',
      'server {"error":{"code":"INVALID_JSON"}}',
      'note closed with 1012: the server is restarting',
    ])
  })
})
