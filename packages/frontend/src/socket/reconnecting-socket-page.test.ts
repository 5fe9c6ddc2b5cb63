import { describe, expect, it, vi } from 'vitest'
import { settle } from '../fake-clock.test.fixture.ts'
import { open } from './reconnecting-socket.test.fixture.ts'

describe('a page that wakes up', () => {
  it('asks whether the connection still lives, and leaves it in three seconds if not', async () => {
    const { clock, wire, emitPageEvent } = open()
    await settle()
    wire.last().welcome()
    emitPageEvent('wake')
    expect(wire.last().sent.at(-1)).toEqual({ o: 'p' })
    await clock.advance(2999)
    expect(wire.sockets).toHaveLength(2)
  })

  it('keeps the connection if anything comes', async () => {
    const { clock, wire, emitPageEvent } = open()
    await settle()
    wire.last().welcome()
    emitPageEvent('wake')
    wire.last().deliver({ o: 'm', i: 1, d: 'x' })
    await clock.advance(20_000)
    expect(wire.sockets).toHaveLength(1)
  })

  it('tries at once where it waited, but once a second at most', async () => {
    const { clock, wire, emitPageEvent } = open({ backoff: { random: () => 1, base: 20_000 } })
    await settle()
    await clock.advance(5000)
    wire.last().hangUp(1006)
    for (let turn = 0; turn < 100; turn++) {
      emitPageEvent('wake')
      await clock.advance(50)
      if (!wire.last().isClosed) wire.last().hangUp(1006)
    }
    expect(wire.sockets.length).toBeGreaterThanOrEqual(5)
    expect(wire.sockets.length).toBeLessThanOrEqual(7)
  })

  it('waits on where the server asked for patience', async () => {
    const { clock, wire, emitPageEvent } = open()
    await settle()
    wire.last().hangUp(4429)
    await clock.advance(2000)
    emitPageEvent('wake')
    await clock.advance(2999)
    expect(wire.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(wire.sockets).toHaveLength(2)
  })

  it('waits no longer than ever where the clock was set back', async () => {
    const { clock, wire, emitPageEvent } = open()
    await settle()
    wire.last().hangUp(1006)
    clock.freeze(-3_600_000)
    emitPageEvent('wake')
    await clock.advance(6000)
    expect(wire.sockets).toHaveLength(2)
  })

  it('lets a connection open that is about to', async () => {
    const { clock, wire, emitPageEvent } = open()
    await clock.advance(5000)
    emitPageEvent('wake')
    await clock.advance(1)
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([false])
  })

  it('is not heard after the end', async () => {
    const { wire, socket, pageListeners } = open()
    await settle()
    wire.last().welcome()
    expect(pageListeners.size).toBe(1)
    socket.close()
    expect(pageListeners.size).toBe(0)
  })
})

describe('a page that is offline', () => {
  it('stops all timers, and comes back at once', async () => {
    const { clock, wire, statuses, emitPageEvent } = open()
    await settle()
    wire.last().hangUp(1006)
    await clock.advance(10)
    emitPageEvent('offline')
    expect(statuses.at(-1)).toEqual(['offline'])
    expect(clock.waiting).toBe(0)
    await clock.advance(3_600_000)
    expect(wire.sockets).toHaveLength(1)
    emitPageEvent('wake')
    await clock.advance(0)
    expect(statuses.at(-1)).toEqual(['reconnecting'])
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
  })

  it('keeps its connection, which may live', async () => {
    const { clock, wire, statuses, emitPageEvent } = open()
    await settle()
    wire.last().welcome()
    emitPageEvent('offline')
    expect([statuses.at(-1), clock.waiting]).toEqual([['offline'], 0])
    await clock.advance(60_000)
    emitPageEvent('wake')
    expect(statuses.at(-1)).toEqual(['open'])
    expect(wire.last().sent.at(-1)).toEqual({ o: 'p' })
    wire.last().deliver({ o: 'q' })
    await clock.advance(10_000)
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([false])
  })

  it('is believed only until something comes, as from a server on the same machine', async () => {
    const { wire, statuses, frames, emitPageEvent } = open()
    await settle()
    wire.last().welcome()
    emitPageEvent('offline')
    wire.last().deliver({ o: 'm', i: 1, d: 'x' })
    expect(statuses.at(-1)).toEqual(['open'])
    expect(frames).toHaveLength(1)
  })

  it('does not retry when the connection breaks', async () => {
    const { clock, wire, statuses, emitPageEvent } = open()
    await settle()
    wire.last().welcome()
    emitPageEvent('offline')
    wire.last().hangUp(1006)
    await clock.advance(600_000)
    expect(statuses.at(-1)).toEqual(['offline', 'NETWORK_ERROR'])
    expect(wire.sockets).toHaveLength(1)
    emitPageEvent('wake')
    await clock.advance(0)
    expect(wire.sockets).toHaveLength(2)
  })

  it('asks for a new token where the server refuses the last one all the same', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { wire, emitPageEvent } = open({ token })
    await settle()
    wire.last().welcome()
    emitPageEvent('offline')
    wire.last().hangUp(4401)
    await settle()
    expect(token.mock.calls).toEqual([[{ force: false }], [{ force: true }]])
    expect(wire.sockets).toHaveLength(2)
  })

  it('gives up an attempt, and does not use the token that comes later', async () => {
    let give = (_token: string): void => {}
    const token = (): Promise<string> => new Promise((resolve) => (give = resolve))
    const { clock, wire, emitPageEvent } = open({ token })
    emitPageEvent('offline')
    give('late')
    await clock.advance(5000)
    expect(wire.sockets).toHaveLength(0)
    emitPageEvent('wake')
    await clock.advance(0)
    give('token')
    await settle()
    expect(wire.sockets.map(({ protocols }) => protocols[1])).toEqual(['sdk.token.token'])
  })
})
