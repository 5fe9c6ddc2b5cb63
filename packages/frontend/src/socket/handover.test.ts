import { describe, expect, it } from 'vitest'
import { open } from './channel.test.fixture.ts'
import { settle } from '../fake-clock.test.fixture.ts'
import type { PageEvent } from '../page-events.ts'
import { open as openSocket } from './reconnecting-socket.test.fixture.ts'

async function leaving() {
  const parts = openSocket()
  await settle()
  parts.wire.last().welcome()
  parts.wire.last().deliver({ o: 'bye', after: 830, why: 'restart' })
  return parts
}

describe('a server that goes away', () => {
  it('is left when the next connection is welcome, and not before', async () => {
    const { clock, wire, statuses, socket, frames } = await leaving()
    await clock.advance(829)
    expect(wire.sockets).toHaveLength(1)
    await clock.advance(1)
    const [old, next] = wire.sockets
    next?.accept()
    socket.send('{"o":"p"}')
    old?.deliver({ o: 'm', i: 1, d: 'still here' })
    expect(old?.sent.at(-1)).toEqual({ o: 'p' })
    expect(frames.at(-1)).toEqual({ o: 'm', i: 1, d: 'still here' })
    expect(old?.isClosed).toBe(false)
    next?.welcome()
    expect([old?.isClosed, next?.isClosed]).toEqual([true, false])
    socket.send('{"o":"q"}')
    expect(next?.sent.at(-1)).toEqual({ o: 'q' })
    expect(statuses).toEqual([['connecting'], ['open'], ['open']])
  })

  it.each([1012, 4409])(
    'may close with %i before: the next connection goes on, and the status stays open',
    async (code) => {
      const { clock, wire, statuses } = await leaving()
      await clock.advance(830)
      wire.sockets[0]?.hangUp(code)
      await clock.advance(4000)
      expect(wire.sockets).toHaveLength(2)
      wire.last().welcome()
      expect(statuses).toEqual([['connecting'], ['open'], ['open']])
    },
  )

  it('may be away until ten seconds after it was to be left, before the status is reconnecting', async () => {
    const { clock, wire, statuses } = await leaving()
    wire.last().hangUp(1012)
    const failAttempts = async (until: number): Promise<void> => {
      while (clock.now() < until) {
        await clock.advance(50)
        if (!wire.last().isClosed) wire.last().hangUp(1006)
      }
    }
    const leaveAt = clock.now() + 830
    await failAttempts(leaveAt + 9900)
    expect(statuses).toEqual([['connecting'], ['open']])
    await failAttempts(leaveAt + 20_000)
    expect(statuses.slice(2, 3)).toEqual([['reconnecting', 'NETWORK_ERROR']])
  })

  it('is offline at once if the page is', async () => {
    const { wire, statuses, emitPageEvent } = await leaving()
    wire.last().hangUp(1012)
    emitPageEvent('offline')
    emitPageEvent('wake')
    expect(statuses.slice(2)).toEqual([['offline'], ['reconnecting']])
  })

  it('may hang up before its time: then we retry as ever', async () => {
    const { clock, wire } = await leaving()
    wire.last().hangUp(1012)
    await clock.advance(50)
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome()
    await clock.advance(5000)
    expect(wire.sockets).toHaveLength(2)
  })

  it('is used as long as the next connection fails', async () => {
    const { clock, wire, statuses } = await leaving()
    await clock.advance(830)
    wire.last().hangUp(1006)
    expect(statuses.at(-1)).toEqual(['open'])
    await clock.advance(50)
    expect(wire.sockets).toHaveLength(3)
    wire.last().welcome()
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true, false])
  })

  it('is left too where the next connection is refused for good', async () => {
    const { clock, wire, statuses } = await leaving()
    await clock.advance(830)
    wire.last().hangUp(4403)
    expect(statuses.at(-1)).toEqual(['failed', 'FORBIDDEN'])
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true])
    expect(clock.waiting).toBe(0)
  })

  it('opens one connection, however often it says goodbye', async () => {
    const { clock, wire } = await leaving()
    await clock.advance(830)
    wire.sockets[0]?.deliver({ o: 'bye', after: 0, why: 'restart' })
    await clock.advance(1000)
    expect(wire.sockets).toHaveLength(2)
  })

  it('is not connected to anew after that, where it was replaced before its time', async () => {
    const { clock, wire } = await leaving()
    await clock.advance(830)
    wire.sockets[0]?.deliver({ o: 'bye', after: 5000, why: 'restart' })
    wire.last().welcome()
    await clock.advance(10_000)
    expect(wire.sockets).toHaveLength(2)
    expect(wire.last().isClosed).toBe(false)
  })
})

describe('a page that is offline for a moment while the server goes away', () => {
  it('stays until the server hangs up, and brings what waited to the next one then', async () => {
    const pageListeners = new Set<(event: PageEvent) => void>()
    const page = (listener: (event: PageEvent) => void) => {
      pageListeners.add(listener)
      return () => void pageListeners.delete(listener)
    }
    const { clock, wire, channel } = await open({ page })
    const emitPageEvent = (event: PageEvent): void => pageListeners.forEach((listener) => listener(event))
    wire.last().welcome({ sid: 's' })
    wire.last().deliver({ o: 'bye', after: 830, why: 'restart' })
    emitPageEvent('offline')
    channel.send('waits')
    await clock.advance(1000)
    emitPageEvent('wake')
    wire.last().deliver({ o: 'q' })
    await clock.advance(5000)
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 1 })
    wire.last().hangUp(1012)
    await clock.advance(50)
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome({ sid: 's', res: true })
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 1, d: 'waits' }])
  })
})

describe('messages to a server that goes away', () => {
  async function sending() {
    const parts = await open()
    parts.wire.last().welcome({ sid: 's' })
    for (const n of [1, 2]) parts.channel.send(n)
    parts.wire.last().deliver({ o: 'bye', after: 100, why: 'restart' })
    parts.channel.send(3)
    return parts
  }

  it('wait for the next one, which is opened when the old one has handled what it has', async () => {
    const { clock, wire, channel, received } = await sending()
    const [old] = wire.sockets
    await clock.advance(5000)
    old?.deliver({ o: 'a', i: 1 })
    old?.deliver({ o: 'm', i: 1, d: 'a' })
    await clock.advance(1000)
    expect(wire.sockets).toHaveLength(1)
    old?.deliver({ o: 'a', i: 2 })
    await clock.advance(10)
    const next = wire.last()
    next.accept()
    channel.send(4)
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 2 })
    next.welcome({ sid: 's', res: true, ack: 2 })
    next.deliver({ o: 'm', i: 1, d: 'a' })
    next.deliver({ o: 'm', i: 2, d: 'b' })
    expect(wire.sockets.map((socket) => socket.messages())).toEqual([
      [
        { o: 'm', i: 1, d: 1 },
        { o: 'm', i: 2, d: 2 },
      ],
      [
        { o: 'm', i: 3, d: 3 },
        { o: 'm', i: 4, d: 4 },
      ],
    ])
    expect(received).toEqual(['a', 'b'])
  })

  it('wait ten seconds at most: then what it has not handled is sent again on the next', async () => {
    const { clock, wire } = await sending()
    await clock.advance(5000)
    wire.last().deliver({ o: 'a', i: 1 })
    await clock.advance(5099)
    expect(wire.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome({ sid: 's', res: true, ack: 1 })
    expect(wire.last().messages()).toEqual([
      { o: 'm', i: 2, d: 2, r: 1 },
      { o: 'm', i: 3, d: 3 },
    ])
  })

  it('wait no longer where it hangs up', async () => {
    const { clock, wire } = await sending()
    await clock.advance(5000)
    wire.last().hangUp(1012)
    await clock.advance(50)
    wire.last().welcome({ sid: 's', res: true, ack: 2 })
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 3, d: 3 }])
    await clock.advance(6000)
    expect(wire.sockets).toHaveLength(2)
  })

  it('do not hurry the next one where it fails', async () => {
    const { clock, wire } = await sending()
    const [old] = wire.sockets
    old?.deliver({ o: 'a', i: 2 })
    await clock.advance(100)
    wire.last().hangUp(1006)
    for (let i = 1; i <= 10; i++) old?.deliver({ o: 'm', i, d: i })
    await settle()
    expect(wire.sockets).toHaveLength(2)
    await clock.advance(50)
    expect(wire.sockets).toHaveLength(3)
  })

  it('are let go by close, while they wait', async () => {
    const { clock, wire, channel } = await sending()
    channel.onMessage(() => channel.close())
    await clock.advance(5000)
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    await clock.advance(60_000)
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([true])
    expect(clock.waiting).toBe(0)
  })
})
