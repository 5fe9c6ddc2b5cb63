import { ApiError } from '@sdk/protocol'
import { describe, expect, it, vi } from 'vitest'
import { settle } from '../fake-clock.test.fixture.ts'
import { open } from './reconnecting-socket.test.fixture.ts'

describe('createReconnectingSocket', () => {
  it('offers its protocol, sends hi and opens when it receives ok', async () => {
    const { fake, statuses, frames } = open()
    await settle()
    expect(fake.last()).toMatchObject({ url: 'ws://x.dev/ws/chat', protocols: ['sdk.v1'] })
    fake.last().accept()
    expect(fake.last().sent).toEqual([{ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }])
    expect(statuses).toEqual([['connecting']])
    fake.last().deliver({ o: 'ok', sid: 's', res: false, ack: 0, hb: 20_000, win: 256, max: 1024, spread: 2000 })
    fake.last().deliver({ o: 'm', i: 1, d: 'x' })
    expect(statuses).toEqual([['connecting'], ['open']])
    expect(frames).toEqual([{ o: 'm', i: 1, d: 'x' }])
  })

  it('requests a token for every attempt', async () => {
    let count = 0
    const { clock, fake } = open({ token: async () => `token-${++count}` })
    await settle()
    fake.last().welcome()
    fake.last().hangUp(1006)
    await clock.advance(50)
    expect(fake.sockets.map(({ protocols }) => protocols)).toEqual([
      ['sdk.v1', 'sdk.token.token-1'],
      ['sdk.v1', 'sdk.token.token-2'],
    ])
  })

  it('reconnects with increasing delays', async () => {
    const { clock, fake } = open({ backoff: { random: () => 1 } })
    await settle()
    const delays: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const before = clock.now()
      fake.last().hangUp(1006)
      const count = fake.sockets.length
      while (fake.sockets.length === count) await clock.advance(50)
      delays.push(clock.now() - before)
    }
    expect(delays).toEqual([550, 1100, 2200, 4400, 8800, 17_600, 23_200, 26_400])
  })

  it('uses the spread of the server and resets its backoff after ten seconds', async () => {
    const { clock, fake } = open({ backoff: { random: () => 1 } })
    await settle()
    for (let turn = 0; turn < 2; turn++) {
      fake.last().welcome({ spread: 3000 })
      await clock.advance(10_000)
      fake.last().hangUp(1012)
      await clock.advance(3049)
      expect(fake.sockets).toHaveLength(turn + 1)
      await clock.advance(1)
      expect(fake.sockets).toHaveLength(turn + 2)
    }
  })

  it('makes at most ten attempts in 30 s if connections are short', async () => {
    // Low, medium and high random values.
    for (const chance of [0.1, 0.25, 0.5, 1]) {
      const { clock, fake, socket } = open({ backoff: { random: () => chance } })
      const end = clock.now() + 30_000
      for (let seen = 0; clock.now() < end; await clock.advance(100)) {
        if (fake.sockets.length === seen) continue
        seen = fake.sockets.length
        fake.last().welcome({ spread: 0 })
        fake.last().hangUp(1006)
      }
      expect(fake.sockets.length).toBeLessThanOrEqual(10)
      expect(fake.sockets.length).toBeGreaterThan(4)
      socket.close()
    }
  })

  it('reconnects after a close with 1000, which a proxy may send', async () => {
    const { clock, fake } = open()
    await settle()
    fake.last().welcome()
    fake.last().hangUp(1000)
    await clock.advance(50)
    expect(fake.sockets).toHaveLength(2)
  })

  it.each([
    [4400, 'INVALID_REQUEST'],
    [4403, 'FORBIDDEN'],
    [4404, 'NOT_FOUND'],
    [4409, 'CONFLICT'],
  ])('fails permanently after %i with %s', async (close, code) => {
    const { clock, fake, statuses } = open()
    await settle()
    fake.last().welcome()
    fake.last().hangUp(close)
    await clock.advance(600_000)
    expect(fake.sockets).toHaveLength(1)
    expect(statuses.at(-1)).toEqual(['failed', code])
    expect(clock.waiting).toBe(0)
  })

  it('closes without an error after 4000', async () => {
    const { clock, fake, statuses } = open()
    await settle()
    fake.last().welcome()
    fake.last().hangUp(4000)
    await clock.advance(600_000)
    expect(fake.sockets).toHaveLength(1)
    expect(statuses.at(-1)).toEqual(['closed'])
  })

  it('gets a new token after 4401 and fails after the second in a row', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { clock, fake, statuses } = open({ token })
    await settle()
    fake.last().accept()
    fake.last().hangUp(4401)
    await settle()
    expect(token.mock.calls).toEqual([[{ force: false }], [{ force: true }]])
    expect(fake.sockets).toHaveLength(2)
    fake.last().welcome()
    fake.last().hangUp(4401)
    await clock.advance(600_000)
    expect(fake.sockets).toHaveLength(2)
    expect(statuses.at(-1)).toEqual(['failed', 'UNAUTHORIZED'])
  })

  it('retries after 4401 again if the connection was stable in between', async () => {
    const { clock, fake } = open({ token: async () => 'token' })
    await settle()
    for (let turn = 1; turn < 4; turn++) {
      fake.last().hangUp(4401)
      await settle()
      expect(fake.sockets).toHaveLength(turn + 1)
      fake.last().welcome()
      await clock.advance(10_000)
    }
  })

  it.each([4408, 4413, 4429])('waits five seconds longer after %i', async (close) => {
    for (const luck of [0, 0.5, 1]) {
      const { clock, fake } = open({ backoff: { random: () => luck } })
      await settle()
      fake.last().welcome({ spread: 2000 })
      fake.last().hangUp(close)
      await clock.advance(5049 + luck * 2000)
      expect(fake.sockets).toHaveLength(1)
      await clock.advance(1)
      expect(fake.sockets).toHaveLength(2)
    }
  })

  it('does not request a token or reconnect after 4403', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { fake, emitPageEvent } = open({ token })
    await settle()
    fake.last().hangUp(4403)
    emitPageEvent('wake')
    await settle()
    expect(token).toHaveBeenCalledTimes(1)
    expect(fake.sockets).toHaveLength(1)
  })

  it('gets a new token again if the connection was lost in between', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { clock, fake, statuses } = open({ token })
    await settle()
    fake.last().hangUp(4401)
    await settle()
    fake.last().hangUp(1006)
    await clock.advance(50)
    fake.last().hangUp(4401)
    await settle()
    expect(token.mock.calls.map(([{ force }]) => force)).toEqual([false, true, false, true])
    fake.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
  })

  it.each([
    ['rejects', async () => Promise.reject(new TypeError('Failed to fetch'))],
    [
      'throws',
      () => {
        throw new TypeError('Failed to fetch')
      },
    ],
  ])('retries if the token source %s', async (_, fail) => {
    const token = vi.fn<() => Promise<string>>(async () => 'token').mockImplementationOnce(fail)
    const { clock, fake, statuses } = open({ token })
    await settle()
    expect(statuses).toEqual([['connecting'], ['reconnecting', 'NETWORK_ERROR']])
    await clock.advance(50)
    fake.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
  })

  it('retries after a network error of the token source, but not after UNAUTHORIZED', async () => {
    const token = vi.fn<() => Promise<string>>()
    token.mockRejectedValueOnce(new ApiError('NETWORK_ERROR', 'down'))
    token.mockRejectedValueOnce(new ApiError('UNAUTHORIZED', 'who?'))
    const { clock, fake, statuses } = open({ token })
    await clock.advance(600_000)
    expect(token).toHaveBeenCalledTimes(2)
    expect(fake.sockets).toHaveLength(0)
    expect(statuses).toEqual([['connecting'], ['reconnecting', 'NETWORK_ERROR'], ['failed', 'UNAUTHORIZED']])
  })

  it('fails if the token is not valid in a subprotocol', async () => {
    const { clock, fake, statuses } = open({ token: async () => 'not a token' })
    await clock.advance(600_000)
    expect(fake.sockets).toHaveLength(0)
    expect(statuses.at(-1)).toEqual(['failed', 'INVALID_REQUEST'])
  })

  it('fails if the server does not accept its protocol', async () => {
    const { fake, statuses } = open()
    await settle()
    fake.last().accept('')
    expect(statuses.at(-1)).toEqual(['failed', 'INVALID_REQUEST'])
    expect(fake.last().isClosed).toBe(true)
  })

  it('closes a connection that does not open within ten seconds', async () => {
    const { clock, fake } = open()
    await settle()
    fake.last().accept()
    await clock.advance(10_049)
    expect(fake.last().isClosed).toBe(true)
    expect(fake.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(fake.sockets).toHaveLength(2)
  })

  it('cancels an attempt whose token takes more than ten seconds', async () => {
    const give: ((token: string) => void)[] = []
    const token = (): Promise<string> => new Promise((resolve) => give.push(resolve))
    const { clock, fake, statuses } = open({ token })
    await clock.advance(10_049)
    expect(statuses.at(-1)).toEqual(['reconnecting', 'NETWORK_ERROR'])
    expect(give).toHaveLength(1)
    await clock.advance(1)
    expect(give).toHaveLength(2)
    give[0]?.('late')
    give[1]?.('next')
    await settle()
    expect(fake.sockets.map(({ protocols }) => protocols[1])).toEqual(['sdk.token.next'])
  })

  it('responds to pings', async () => {
    const { fake } = open()
    await settle()
    fake.last().welcome()
    fake.last().deliver({ o: 'p' })
    expect(fake.last().sent.at(-1)).toEqual({ o: 'q' })
  })

  it('closes in any state and leaves no timers', async () => {
    const waiting = open()
    await settle()
    waiting.fake.last().hangUp(1006)
    waiting.socket.close()
    const opening = open({ token: async () => 'token' })
    opening.socket.close()
    const ready = open()
    await settle()
    ready.fake.last().welcome()
    ready.socket.close()
    ready.socket.close()
    for (const { clock, statuses } of [waiting, opening, ready]) {
      await clock.advance(600_000)
      expect(statuses.at(-1)).toEqual(['closed'])
      expect(clock.waiting).toBe(0)
    }
    expect([waiting, opening, ready].map(({ fake }) => fake.sockets.length)).toEqual([1, 0, 1])
    expect(ready.fake.last().isClosed).toBe(true)
  })

  it('throws an error with a fix if there is no WebSocket', () => {
    vi.stubGlobal('WebSocket', undefined) // Node provides this class as of version 22
    expect(() => open({ WebSocket: undefined })).toThrow(/pass \{ WebSocket \}/)
  })
})
