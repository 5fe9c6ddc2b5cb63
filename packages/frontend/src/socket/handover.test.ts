import { describe, expect, it } from 'vitest'
import { open } from './channel.test.fixture.ts'
import { settle } from '../fake-clock.test.fixture.ts'
import type { PageEvent } from '../page-events.ts'
import { open as openSocket } from './reconnecting-socket.test.fixture.ts'

async function leaving() {
  const parts = openSocket()
  await settle()
  parts.fake.last().welcome()
  parts.fake.last().deliver({ o: 'bye', after: 830, why: 'restart' })
  return parts
}

describe('a server that restarts', () => {
  it('stays connected until the next connection is open', async () => {
    const { clock, fake, statuses, socket, frames } = await leaving()
    await clock.advance(829)
    expect(fake.sockets).toHaveLength(1)
    await clock.advance(1)
    const [old, next] = fake.sockets
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
    'can close with %i before the next connection is open, and the status stays open',
    async (code) => {
      const { clock, fake, statuses } = await leaving()
      await clock.advance(830)
      fake.sockets[0]?.hangUp(code)
      await clock.advance(4000)
      expect(fake.sockets).toHaveLength(2)
      fake.last().welcome()
      expect(statuses).toEqual([['connecting'], ['open'], ['open']])
    },
  )

  it('can be unreachable for ten seconds before the status is reconnecting', async () => {
    const { clock, fake, statuses } = await leaving()
    fake.last().hangUp(1012)
    const failAttempts = async (until: number): Promise<void> => {
      while (clock.now() < until) {
        await clock.advance(50)
        if (!fake.last().isClosed) fake.last().hangUp(1006)
      }
    }
    const leaveAt = clock.now() + 830
    await failAttempts(leaveAt + 9900)
    expect(statuses).toEqual([['connecting'], ['open']])
    await failAttempts(leaveAt + 20_000)
    expect(statuses.slice(2, 3)).toEqual([['reconnecting', 'NETWORK_ERROR']])
  })

  it('is reported as lost after ten seconds, even if no attempt fails at that time', async () => {
    const { clock, fake, statuses } = await leaving()
    await clock.advance(830)
    for (const socket of fake.sockets) socket.hangUp(1006)
    await clock.advance(9999)
    expect(statuses).toEqual([['connecting'], ['open']])
    await clock.advance(1)
    expect(statuses.slice(2)).toEqual([['reconnecting', 'NETWORK_ERROR']])
  })

  it('does not delay the status offline', async () => {
    const { fake, statuses, emitPageEvent } = await leaving()
    fake.last().hangUp(1012)
    emitPageEvent('offline')
    emitPageEvent('wake')
    expect(statuses.slice(2)).toEqual([['offline'], ['reconnecting']])
  })

  it('can close early, and the client reconnects', async () => {
    const { clock, fake } = await leaving()
    fake.last().hangUp(1012)
    await clock.advance(50)
    expect(fake.sockets).toHaveLength(2)
    fake.last().welcome()
    await clock.advance(5000)
    expect(fake.sockets).toHaveLength(2)
  })

  it('is used while the next connection fails', async () => {
    const { clock, fake, statuses } = await leaving()
    await clock.advance(830)
    fake.last().hangUp(1006)
    expect(statuses.at(-1)).toEqual(['open'])
    await clock.advance(50)
    expect(fake.sockets).toHaveLength(3)
    fake.last().welcome()
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true, false])
  })

  it('is disconnected if the next connection fails permanently', async () => {
    const { clock, fake, statuses } = await leaving()
    await clock.advance(830)
    fake.last().hangUp(4403)
    expect(statuses.at(-1)).toEqual(['failed', 'FORBIDDEN'])
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true])
    expect(clock.waiting).toBe(0)
  })

  it('causes only one new connection with several bye frames', async () => {
    const { clock, fake } = await leaving()
    await clock.advance(830)
    fake.sockets[0]?.deliver({ o: 'bye', after: 0, why: 'restart' })
    await clock.advance(1000)
    expect(fake.sockets).toHaveLength(2)
  })

  it('causes no further connection after it was replaced early', async () => {
    const { clock, fake } = await leaving()
    await clock.advance(830)
    fake.sockets[0]?.deliver({ o: 'bye', after: 5000, why: 'restart' })
    fake.last().welcome()
    await clock.advance(10_000)
    expect(fake.sockets).toHaveLength(2)
    expect(fake.last().isClosed).toBe(false)
  })
})

describe('a page that is briefly offline while the server restarts', () => {
  it('stays connected until the server closes, then sends pending messages to the next one', async () => {
    const pageListeners = new Set<(event: PageEvent) => void>()
    const page = (listener: (event: PageEvent) => void) => {
      pageListeners.add(listener)
      return () => void pageListeners.delete(listener)
    }
    const { clock, fake, channel } = await open({ page })
    const emitPageEvent = (event: PageEvent): void => pageListeners.forEach((listener) => listener(event))
    fake.last().welcome({ sid: 's' })
    fake.last().deliver({ o: 'bye', after: 830, why: 'restart' })
    emitPageEvent('offline')
    channel.send('waits')
    await clock.advance(1000)
    emitPageEvent('wake')
    fake.last().deliver({ o: 'q' })
    await clock.advance(5000)
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 1 })
    fake.last().hangUp(1012)
    await clock.advance(50)
    expect(fake.sockets).toHaveLength(2)
    fake.last().welcome({ sid: 's', res: true })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 1, d: 'waits' }])
  })
})

describe('messages to a server that restarts', () => {
  async function sending() {
    const parts = await open()
    parts.fake.last().welcome({ sid: 's' })
    for (const n of [1, 2]) parts.channel.send(n)
    parts.fake.last().deliver({ o: 'bye', after: 100, why: 'restart' })
    parts.channel.send(3)
    return parts
  }

  it('wait for the next connection, which opens after the acks of the old one', async () => {
    const { clock, fake, channel, received } = await sending()
    const [old] = fake.sockets
    await clock.advance(5000)
    old?.deliver({ o: 'a', i: 1 })
    old?.deliver({ o: 'm', i: 1, d: 'a' })
    await clock.advance(1000)
    expect(fake.sockets).toHaveLength(1)
    old?.deliver({ o: 'a', i: 2 })
    await clock.advance(10)
    const next = fake.last()
    next.accept()
    channel.send(4)
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 2 })
    next.welcome({ sid: 's', res: true, ack: 2 })
    next.deliver({ o: 'm', i: 1, d: 'a' })
    next.deliver({ o: 'm', i: 2, d: 'b' })
    expect(fake.sockets.map((socket) => socket.messages())).toEqual([
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

  it('wait at most ten seconds, then unacknowledged messages are sent again', async () => {
    const { clock, fake } = await sending()
    await clock.advance(5000)
    fake.last().deliver({ o: 'a', i: 1 })
    await clock.advance(5099)
    expect(fake.sockets).toHaveLength(1)
    await clock.advance(1)
    expect(fake.sockets).toHaveLength(2)
    fake.last().welcome({ sid: 's', res: true, ack: 1 })
    expect(fake.last().messages()).toEqual([
      { o: 'm', i: 2, d: 2, r: 1 },
      { o: 'm', i: 3, d: 3 },
    ])
  })

  it('wait no longer if the server closes', async () => {
    const { clock, fake } = await sending()
    await clock.advance(5000)
    fake.last().hangUp(1012)
    await clock.advance(50)
    fake.last().welcome({ sid: 's', res: true, ack: 2 })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 3, d: 3 }])
    await clock.advance(6000)
    expect(fake.sockets).toHaveLength(2)
  })

  it('do not shorten the backoff of the next connection', async () => {
    const { clock, fake } = await sending()
    const [old] = fake.sockets
    old?.deliver({ o: 'a', i: 2 })
    await clock.advance(100)
    fake.last().hangUp(1006)
    for (let i = 1; i <= 10; i++) old?.deliver({ o: 'm', i, d: i })
    await settle()
    expect(fake.sockets).toHaveLength(2)
    await clock.advance(50)
    expect(fake.sockets).toHaveLength(3)
  })

  it('do not keep the channel from closing', async () => {
    const { clock, fake, channel } = await sending()
    channel.onMessage(() => channel.close())
    await clock.advance(5000)
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    await clock.advance(60_000)
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true])
    expect(clock.waiting).toBe(0)
  })
})
