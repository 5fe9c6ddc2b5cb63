import { describe, expect, it, vi } from 'vitest'
import { settle } from '../fake-clock.test.fixture.ts'
import { open } from './reconnecting-socket.test.fixture.ts'

describe('a page that wakes up', () => {
  it('probes the connection and replaces it within three seconds without a response', async () => {
    const { clock, fake, emitPageEvent } = open()
    await settle()
    fake.last().welcome()
    emitPageEvent('wake')
    expect(fake.last().sent.at(-1)).toEqual({ o: 'p' })
    await clock.advance(2999)
    expect(fake.sockets).toHaveLength(2)
  })

  it('keeps the connection if a frame arrives', async () => {
    const { clock, fake, emitPageEvent } = open()
    await settle()
    fake.last().welcome()
    emitPageEvent('wake')
    fake.last().deliver({ o: 'm', i: 1, d: 'x' })
    await clock.advance(20_000)
    expect(fake.sockets).toHaveLength(1)
  })

  it('reconnects immediately, but at most once per second', async () => {
    const { clock, fake, emitPageEvent } = open({ backoff: { random: () => 1, base: 20_000 } })
    await settle()
    await clock.advance(5000)
    fake.last().hangUp(1006)
    for (let turn = 0; turn < 100; turn++) {
      emitPageEvent('wake')
      await clock.advance(50)
      if (!fake.last().isClosed) fake.last().hangUp(1006)
    }
    expect(fake.sockets.length).toBeGreaterThanOrEqual(5)
    expect(fake.sockets.length).toBeLessThanOrEqual(7)
  })

  it('does not reconnect early after 4429', async () => {
    const { clock, fake, emitPageEvent } = open()
    await settle()
    fake.last().hangUp(4429)
    await clock.advance(2000)
    emitPageEvent('wake')
    await clock.advance(2999)
    expect(fake.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(fake.sockets).toHaveLength(2)
  })

  it('does not wait longer if the clock was set back', async () => {
    const { clock, fake, emitPageEvent } = open()
    await settle()
    fake.last().hangUp(1006)
    clock.freeze(-3_600_000)
    emitPageEvent('wake')
    await clock.advance(6000)
    expect(fake.sockets).toHaveLength(2)
  })

  it('keeps a connection that is opening', async () => {
    const { clock, fake, emitPageEvent } = open()
    await clock.advance(5000)
    emitPageEvent('wake')
    await clock.advance(1)
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([false])
  })

  it('has no listeners after close', async () => {
    const { fake, socket, pageListeners } = open()
    await settle()
    fake.last().welcome()
    expect(pageListeners.size).toBe(1)
    socket.close()
    expect(pageListeners.size).toBe(0)
  })
})

describe('a page that is offline', () => {
  it('stops all timers and reconnects immediately when it wakes up', async () => {
    const { clock, fake, statuses, emitPageEvent } = open()
    await settle()
    fake.last().hangUp(1006)
    await clock.advance(10)
    emitPageEvent('offline')
    expect(statuses.at(-1)).toEqual(['offline'])
    expect(clock.waiting).toBe(0)
    await clock.advance(3_600_000)
    expect(fake.sockets).toHaveLength(1)
    emitPageEvent('wake')
    await clock.advance(0)
    expect(statuses.at(-1)).toEqual(['reconnecting'])
    expect(fake.sockets).toHaveLength(2)
    fake.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
  })

  it('keeps its connection, which may still work', async () => {
    const { clock, fake, statuses, emitPageEvent } = open()
    await settle()
    fake.last().welcome()
    emitPageEvent('offline')
    expect([statuses.at(-1), clock.waiting]).toEqual([['offline'], 0])
    await clock.advance(60_000)
    emitPageEvent('wake')
    expect(statuses.at(-1)).toEqual(['open'])
    expect(fake.last().sent.at(-1)).toEqual({ o: 'p' })
    fake.last().deliver({ o: 'q' })
    await clock.advance(10_000)
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([false])
  })

  it('is treated as online when a frame arrives', async () => {
    const { fake, statuses, frames, emitPageEvent } = open()
    await settle()
    fake.last().welcome()
    emitPageEvent('offline')
    fake.last().deliver({ o: 'm', i: 1, d: 'x' })
    expect(statuses.at(-1)).toEqual(['open'])
    expect(frames).toHaveLength(1)
  })

  it('does not reconnect when the connection is lost', async () => {
    const { clock, fake, statuses, emitPageEvent } = open()
    await settle()
    fake.last().welcome()
    emitPageEvent('offline')
    fake.last().hangUp(1006)
    await clock.advance(600_000)
    expect(statuses.at(-1)).toEqual(['offline', 'NETWORK_ERROR'])
    expect(fake.sockets).toHaveLength(1)
    emitPageEvent('wake')
    await clock.advance(0)
    expect(fake.sockets).toHaveLength(2)
  })

  it('requests a new token if the server rejects the last one', async () => {
    const token = vi.fn<(options: { force: boolean }) => Promise<string>>(async () => 'token')
    const { fake, emitPageEvent } = open({ token })
    await settle()
    fake.last().welcome()
    emitPageEvent('offline')
    fake.last().hangUp(4401)
    await settle()
    expect(token.mock.calls).toEqual([[{ force: false }], [{ force: true }]])
    expect(fake.sockets).toHaveLength(2)
  })

  it('cancels an attempt and ignores its token', async () => {
    let give = (_token: string): void => {}
    const token = (): Promise<string> => new Promise((resolve) => (give = resolve))
    const { clock, fake, emitPageEvent } = open({ token })
    emitPageEvent('offline')
    give('late')
    await clock.advance(5000)
    expect(fake.sockets).toHaveLength(0)
    emitPageEvent('wake')
    await clock.advance(0)
    give('token')
    await settle()
    expect(fake.sockets.map(({ protocols }) => protocols[1])).toEqual(['sdk.token.token'])
  })
})
