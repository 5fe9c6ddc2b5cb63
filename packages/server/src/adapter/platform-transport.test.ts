import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SOCKET_LIMITS, type SocketLimits } from '../socket/limits.ts'
import { PlatformTransport, type PlatformSocket } from './platform-transport.ts'
import type { ConnectedClient } from './socket-clients.ts'

interface Setup {
  readonly transport: PlatformTransport
  readonly calls: string[]
  readonly received: string[]
  /** The number of bytes that the platform reports as buffered. */
  readonly state: { buffered: number }
}

function setUp(limits: SocketLimits = {}, { isSdk = true, canTerminate = true } = {}): Setup {
  const [calls, received, state] = [[] as string[], [] as string[], { buffered: 0 }]
  const socket: PlatformSocket = {
    send: (text) => calls.push(`send ${text}`),
    close: (code, reason) => calls.push(`close ${code} ${reason}`.trim()),
    buffered: () => state.buffered,
    ...(canTerminate && { terminate: () => void calls.push('terminate') }),
  }
  const transport = new PlatformTransport(socket, { ...SOCKET_LIMITS, ...limits, isSdk })
  const connection = { receive: (text: string) => received.push(text) }
  transport.connect({ connection } as unknown as ConnectedClient)
  return { transport, calls, received, state }
}

describe('PlatformTransport', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('holds messages while it is paused, and delivers them in order', () => {
    const { transport, received } = setUp()
    transport.onMessage('1')
    transport.pause()
    transport.onMessage('2')
    transport.onMessage('3')
    expect(received).toEqual(['1'])
    transport.resume()
    expect(received).toEqual(['1', '2', '3'])
  })

  it('disconnects a client with 4429 that sends more than the window while it is paused', () => {
    const { transport, calls } = setUp({ window: 2 })
    transport.pause()
    for (const text of ['1', '2']) transport.onMessage(text)
    expect(calls).toEqual([])
    transport.onMessage('3')
    expect(calls).toEqual(['close 4429 TOO_MANY_REQUESTS: too many messages'])
  })

  it('disconnects a client with 4429 that sends more bytes than the inbox while it is paused', () => {
    const { transport, calls } = setUp({ inboxBytes: 10, payload: 10 })
    transport.pause()
    transport.onMessage('123456')
    transport.onMessage('12345')
    expect(calls[0]).toMatch(/^close 4429/)
  })

  it.each([
    [true, 'close 4413 CONTENT_TOO_LARGE'],
    [false, 'close 1009'],
  ])('rejects messages that are larger than the limit in UTF-8 (sdk.v1: %s)', (isSdk, close) => {
    const { transport, calls, received } = setUp({ payload: 6 }, { isSdk })
    transport.onMessage('éée')
    transport.onMessage('ééé')
    expect([calls, received]).toEqual([[], ['éée', 'ééé']])
    transport.onMessage('éééé')
    expect(calls).toEqual([close])
  })

  it('disconnects a client with 4400 that sends binary messages', () => {
    const { transport, calls } = setUp()
    transport.onMessage(new Uint8Array([1]))
    expect(calls).toEqual(['close 4400 INVALID_REQUEST: messages must be text'])
  })

  it('delays messages above the rate of bytes', () => {
    const { transport, received } = setUp({ payload: 1_048_576 })
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 5; n++) transport.onMessage(text)
    expect(received).toHaveLength(4)
    vi.advanceTimersByTime(5_000)
    expect(received).toHaveLength(5)
  })

  it('counts the bytes that the platform has sent', () => {
    const { transport, state } = setUp()
    transport.send('hello')
    state.buffered = 100
    transport.send('world')
    expect([transport.buffered, transport.flushed]).toEqual([100, 0])
    state.buffered = 30
    expect(transport.flushed).toBe(70)
  })

  it('sends and receives nothing after it was closed, and terminates a client that does not reply', () => {
    const { transport, calls, received } = setUp()
    transport.close(1012, 'restart')
    transport.close(4000, '')
    transport.send('late')
    transport.onMessage('late')
    expect([calls, received]).toEqual([['close 1012 restart'], []])
    vi.advanceTimersByTime(5_000)
    expect(calls).toEqual(['close 1012 restart', 'terminate'])
  })

  it('sends a close frame instead, if the platform cannot terminate a connection', () => {
    const { transport, calls } = setUp({}, { canTerminate: false })
    transport.terminate()
    expect(calls).toEqual(['close 1011 the connection was lost'])
  })
})
