import { describe, expect, it } from 'vitest'
import { createChannel } from './channel.ts'
import { createFakeClock, settle } from './fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { open } from './reconnecting-socket.test.fixture.ts'

async function leaving() {
  const parts = open()
  await settle()
  parts.wire.last().welcome()
  parts.wire.last().tell({ o: 'bye', after: 830, why: 'restart' })
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
    old?.tell({ o: 'm', i: 1, d: 'still here' })
    expect(old?.sent.at(-1)).toEqual({ o: 'p' })
    expect(frames).toEqual([{ o: 'm', i: 1, d: 'still here' }])
    expect(old?.isClosed).toBe(false)
    next?.welcome()
    expect([old?.isClosed, next?.isClosed]).toEqual([true, false])
    socket.send('{"o":"q"}')
    expect(next?.sent.at(-1)).toEqual({ o: 'q' })
    expect(statuses).toEqual([['connecting'], ['open'], ['open']])
  })

  it('may hang up before: then we go on connecting, whatever its code', async () => {
    const { clock, wire, statuses } = await leaving()
    await clock.advance(830)
    wire.sockets[0]?.hangUp(4409)
    expect(statuses.at(-1)).toEqual(['reconnecting', 'CONFLICT'])
    await clock.advance(5000)
    expect(wire.sockets).toHaveLength(2)
    wire.last().welcome()
    expect(statuses.at(-1)).toEqual(['open'])
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
    wire.sockets[0]?.tell({ o: 'bye', after: 0, why: 'restart' })
    await clock.advance(1000)
    expect(wire.sockets).toHaveLength(2)
  })

  it('loses and reorders no message: what it has not handled is sent again on the next', async () => {
    const clock = createFakeClock()
    const wire = createFakeWebSockets()
    const channel = createChannel({ url: 'ws://x.dev/ws/a', WebSocket: wire.WebSocket, clock })
    const received: unknown[] = []
    channel.onMessage((message) => received.push(message))
    await settle()
    wire.last().welcome({ sid: 's' })
    channel.send(1)
    wire.last().tell({ o: 'bye', after: 100, why: 'restart' })
    await clock.advance(100)
    const [old, next] = wire.sockets
    next?.accept()
    channel.send(2)
    channel.send(3)
    old?.tell({ o: 'a', i: 2 })
    old?.tell({ o: 'm', i: 1, d: 'a' })
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 1 })
    next?.welcome({ sid: 's', res: true, ack: 2 })
    next?.tell({ o: 'm', i: 1, d: 'a' })
    next?.tell({ o: 'm', i: 2, d: 'b' })
    channel.send(4)
    expect(old?.messages().map(({ i }) => i)).toEqual([1, 2, 3])
    expect(next?.messages()).toEqual([
      { o: 'm', i: 3, d: 3, r: 1 },
      { o: 'm', i: 4, d: 4 },
    ])
    expect(received).toEqual(['a', 'b'])
  })
})
