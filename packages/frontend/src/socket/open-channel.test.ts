import { describe, expect, it } from 'vitest'
import type { Channel } from './channel.ts'
import { createFakeClock, settle } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { createHttpClient } from '../http/http-client.ts'
import { openChannel } from './open-channel.ts'

function setUp() {
  const clock = createFakeClock()
  const { WebSocket, sockets, last } = createFakeWebSockets()
  const client = createHttpClient({ baseUrl: 'http://x.dev', WebSocket, clock })
  return { clock, sockets, last, share: () => openChannel(client, '/ws/a') }
}

describe('openChannel', () => {
  it('closes a released channel after one second', async () => {
    const { clock, sockets, last, share } = setUp()
    const first = share()
    await settle()
    last().welcome()
    first.release()
    await clock.advance(999)
    const next = share()
    expect(next.state.get().status).toBe('open')
    await clock.advance(5000)
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false])
    next.release()
    next.release()
    await clock.advance(1000)
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true])
    share()
    await settle()
    expect(sockets).toHaveLength(2)
  })

  it('closes immediately when the last holder closes', async () => {
    const { sockets, last, share } = setUp()
    const [one, two] = [share(), share()]
    await settle()
    last().welcome()
    one.release()
    two.close()
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true])
  })

  it('delivers every message to each holder until it closes', async () => {
    const { last, share } = setUp()
    const [one, two] = [share(), share()]
    const received: string[] = []
    one.onMessage((message) => received.push(`one ${String(message)}`))
    two.onMessage((message) => received.push(`two ${String(message)}`))
    await settle()
    last().welcome()
    last().deliver({ o: 'm', i: 1, d: 'a' })
    one.close()
    last().deliver({ o: 'm', i: 2, d: 'b' })
    expect(received).toEqual(['one a', 'two a', 'two b'])
    expect([one.state.get().status, two.state.get().status]).toEqual(['closed', 'open'])
  })

  it('opens a new channel if the server has ended the old one', async () => {
    const { sockets, last, share } = setUp()
    const ended = share()
    await settle()
    last().hangUp(4404)
    expect(ended.state.get()).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } })
    const next = share()
    await settle()
    expect(sockets).toHaveLength(2)
    last().welcome()
    ended.close()
    expect(next.state.get().status).toBe('open')
  })

  it('delivers nothing to listeners that are added after close', async () => {
    const { last, share } = setUp()
    const [one] = [share(), share()]
    const received: unknown[] = []
    await settle()
    last().welcome()
    one.close()
    one.onMessage((message) => received.push(message))
    one.onGap((gap) => received.push(gap))
    last().deliver({ o: 'm', i: 1, d: 'a' })
    last().deliver({ o: 'gap', from: 1, to: 2 })
    expect(received).toEqual([])
  })

  it('shares one new connection if a listener reopens an ended channel', async () => {
    const { sockets, last, share } = setUp()
    const ended = share()
    const reopened: Channel[] = []
    await settle()
    last().welcome()
    ended.state.subscribe(() => {
      if (ended.state.get().status === 'failed') reopened.push(share())
    })
    last().hangUp(4404)
    reopened.push(share())
    await settle()
    expect([sockets.length, reopened.length]).toEqual([2, 2])
  })
})
