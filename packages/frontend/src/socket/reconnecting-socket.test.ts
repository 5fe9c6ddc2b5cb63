import { ApiError } from '@sdk/protocol'
import { describe, expect, it, vi } from 'vitest'
import { settle } from '../fake-clock.test.fixture.ts'
import { open } from './reconnecting-socket.test.fixture.ts'

describe('createReconnectingSocket', () => {
  it('offers its protocol, says hello, and is open when it is welcome', async () => {
    const { wire, statuses, frames } = open()
    await settle()
    expect(wire.last()).toMatchObject({ url: 'ws://x.dev/ws/chat', protocols: ['sdk.v1'] })
    wire.last().accept()
    expect(wire.last().sent).toEqual([{ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }])
    expect(statuses).toEqual([['connecting']])
    wire.last().deliver({ o: 'ok', sid: 's', res: false, ack: 0, hb: 20_000, win: 256, max: 1024, spread: 2000 })
    wire.last().deliver({ o: 'm', i: 1, d: 'x' })
    expect(statuses).toEqual([['connecting'], ['open']])
    expect(frames).toEqual([{ o: 'm', i: 1, d: 'x' }])
  })

  it('asks for a token at every attempt', async () => {
    let count = 0
    const { clock, wire } = open({ token: async () => `token-${++count}` })
    await settle()
    wire.last().welcome()
    wire.last().hangUp(1006)
    await clock.advance(50)
    expect(wire.sockets.map(({ protocols }) => protocols)).toEqual([
      ['sdk.v1', 'sdk.token.token-1'],
      ['sdk.v1', 'sdk.token.token-2'],
    ])
  })

  it('comes back after any loss, slower and slower', async () => {
    const { clock, wire } = open({ backoff: { random: () => 1 } })
    await settle()
    const delays: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const before = clock.now()
      wire.last().hangUp(1006)
      const count = wire.sockets.length
      while (wire.sockets.length === count) await clock.advance(50)
      delays.push(clock.now() - before)
    }
    expect(delays).toEqual([550, 1100, 2200, 4400, 8800, 17_600, 23_200, 26_400])
  })

  it('spreads its first retry as the server says, and counts from zero again after ten seconds', async () => {
    const { clock, wire } = open({ backoff: { random: () => 1 } })
    await settle()
    for (let turn = 0; turn < 2; turn++) {
      wire.last().welcome({ spread: 3000 })
      await clock.advance(10_000)
      wire.last().hangUp(1012)
      await clock.advance(3049)
      expect(wire.sockets).toHaveLength(turn + 1)
      await clock.advance(1)
      expect(wire.sockets).toHaveLength(turn + 2)
    }
  })

  it('does not take a short connection for a good one: a flapping server sees ten attempts in 30 s at most', async () => {
    // The least lucky and the most, and some between.
    for (const chance of [0.1, 0.25, 0.5, 1]) {
      const { clock, wire, socket } = open({ backoff: { random: () => chance } })
      const end = clock.now() + 30_000
      for (let seen = 0; clock.now() < end; await clock.advance(100)) {
        if (wire.sockets.length === seen) continue
        seen = wire.sockets.length
        wire.last().welcome({ spread: 0 })
        wire.last().hangUp(1006)
      }
      expect(wire.sockets.length).toBeLessThanOrEqual(10)
      expect(wire.sockets.length).toBeGreaterThan(4)
      socket.close()
    }
  })

  it('also comes back after a close with 1000, which a proxy may send', async () => {
    const { clock, wire } = open()
    await settle()
    wire.last().welcome()
    wire.last().hangUp(1000)
    await clock.advance(50)
    expect(wire.sockets).toHaveLength(2)
  })

  it.each([
    [4400, 'INVALID_REQUEST'],
    [4403, 'FORBIDDEN'],
    [4404, 'NOT_FOUND'],
    [4409, 'CONFLICT'],
  ])('stops for good at %i with %s', async (close, code) => {
    const { clock, wire, statuses } = open()
    await settle()
    wire.last().welcome()
    wire.last().hangUp(close)
    await clock.advance(600_000)
    expect(wire.sockets).toHaveLength(1)
    expect(statuses.at(-1)).toEqual(['failed', code])
    expect(clock.waiting).toBe(0)
  })

  it('ends without an error when the app has finished', async () => {
    const { clock, wire, statuses } = open()
    await settle()
    wire.last().welcome()
    wire.last().hangUp(4000)
    await clock.advance(600_000)
    expect(wire.sockets).toHaveLength(1)
    expect(statuses.at(-1)).toEqual(['closed'])
  })

  it('gets a new token after 4401, at once, and stops at the second in a row', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { clock, wire, statuses } = open({ token })
    await settle()
    wire.last().accept()
    wire.last().hangUp(4401)
    await settle()
    expect(token.mock.calls).toEqual([[{ force: false }], [{ force: true }]])
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome()
    wire.last().hangUp(4401)
    await clock.advance(600_000)
    expect(wire.sockets).toHaveLength(2)
    expect(statuses.at(-1)).toEqual(['failed', 'UNAUTHORIZED'])
  })

  it('forgives a 4401 once the connection has held', async () => {
    const { clock, wire } = open({ token: async () => 'token' })
    await settle()
    for (let turn = 1; turn < 4; turn++) {
      wire.last().hangUp(4401)
      await settle()
      expect(wire.sockets).toHaveLength(turn + 1)
      wire.last().welcome()
      await clock.advance(10_000)
    }
  })

  it.each([4408, 4413, 4429])('waits five seconds longer after %i', async (close) => {
    for (const luck of [0, 0.5, 1]) {
      const { clock, wire } = open({ backoff: { random: () => luck } })
      await settle()
      wire.last().welcome({ spread: 2000 })
      wire.last().hangUp(close)
      await clock.advance(5049 + luck * 2000)
      expect(wire.sockets).toHaveLength(1)
      await clock.advance(1)
      expect(wire.sockets).toHaveLength(2)
    }
  })

  it('asks for a token again after a refusal only, and never waits for a page then', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { wire, emitPageEvent } = open({ token })
    await settle()
    wire.last().hangUp(4403)
    emitPageEvent('wake')
    await settle()
    expect(token).toHaveBeenCalledTimes(1)
    expect(wire.sockets).toHaveLength(1)
  })

  it('gets a new token again where it is not known whether the last one would have helped', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { clock, wire, statuses } = open({ token })
    await settle()
    wire.last().hangUp(4401)
    await settle()
    wire.last().hangUp(1006)
    await clock.advance(50)
    wire.last().hangUp(4401)
    await settle()
    expect(token.mock.calls.map(([{ force }]) => force)).toEqual([false, true, false, true])
    wire.last().welcome()
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
  ])('tries again when the source of tokens %s with any error', async (_, fail) => {
    const token = vi.fn<() => Promise<string>>(async () => 'token').mockImplementationOnce(fail)
    const { clock, wire, statuses } = open({ token })
    await settle()
    expect(statuses).toEqual([['connecting'], ['reconnecting', 'NETWORK_ERROR']])
    await clock.advance(50)
    wire.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
  })

  it('tries again when the token cannot be had, but not when it is refused', async () => {
    const token = vi.fn<() => Promise<string>>()
    token.mockRejectedValueOnce(new ApiError('NETWORK_ERROR', 'down'))
    token.mockRejectedValueOnce(new ApiError('UNAUTHORIZED', 'who?'))
    const { clock, wire, statuses } = open({ token })
    await clock.advance(600_000)
    expect(token).toHaveBeenCalledTimes(2)
    expect(wire.sockets).toHaveLength(0)
    expect(statuses).toEqual([['connecting'], ['reconnecting', 'NETWORK_ERROR'], ['failed', 'UNAUTHORIZED']])
  })

  it('fails at once with a token that no socket can carry', async () => {
    const { clock, wire, statuses } = open({ token: async () => 'not a token' })
    await clock.advance(600_000)
    expect(wire.sockets).toHaveLength(0)
    expect(statuses.at(-1)).toEqual(['failed', 'INVALID_REQUEST'])
  })

  it('fails where the server does not speak its protocol', async () => {
    const { wire, statuses } = open()
    await settle()
    wire.last().accept('')
    expect(statuses.at(-1)).toEqual(['failed', 'INVALID_REQUEST'])
    expect(wire.last().isClosed).toBe(true)
  })

  it('gives up a connection that does not open in ten seconds', async () => {
    const { clock, wire } = open()
    await settle()
    wire.last().accept()
    await clock.advance(10_049)
    expect(wire.last().isClosed).toBe(true)
    expect(wire.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(wire.sockets).toHaveLength(2)
  })

  it('gives up an attempt whose token does not come in ten seconds, and does not use it later', async () => {
    const give: ((token: string) => void)[] = []
    const token = (): Promise<string> => new Promise((resolve) => give.push(resolve))
    const { clock, wire, statuses } = open({ token })
    await clock.advance(10_049)
    expect(statuses.at(-1)).toEqual(['reconnecting', 'NETWORK_ERROR'])
    expect(give).toHaveLength(1)
    await clock.advance(1)
    expect(give).toHaveLength(2)
    give[0]?.('late')
    give[1]?.('next')
    await settle()
    expect(wire.sockets.map(({ protocols }) => protocols[1])).toEqual(['sdk.token.next'])
  })

  it('answers pings', async () => {
    const { wire } = open()
    await settle()
    wire.last().welcome()
    wire.last().deliver({ o: 'p' })
    expect(wire.last().sent.at(-1)).toEqual({ o: 'q' })
  })

  it('is closed by close, whatever it was doing, and leaves no timer', async () => {
    const waiting = open()
    await settle()
    waiting.wire.last().hangUp(1006)
    waiting.socket.close()
    const opening = open({ token: async () => 'token' })
    opening.socket.close()
    const ready = open()
    await settle()
    ready.wire.last().welcome()
    ready.socket.close()
    ready.socket.close()
    for (const { clock, statuses } of [waiting, opening, ready]) {
      await clock.advance(600_000)
      expect(statuses.at(-1)).toEqual(['closed'])
      expect(clock.waiting).toBe(0)
    }
    expect([waiting, opening, ready].map(({ wire }) => wire.sockets.length)).toEqual([1, 0, 1])
    expect(ready.wire.last().isClosed).toBe(true)
  })

  it('says what is missing where there is no WebSocket', () => {
    vi.stubGlobal('WebSocket', undefined) // Node has one since 22
    expect(() => open({ WebSocket: undefined })).toThrow(/pass \{ WebSocket \}/)
  })
})
