import { afterEach, describe, expect, it, vi } from 'vitest'
import { open } from './channel.test.fixture.ts'
import type { PageEvent } from '../page-events.ts'

/** Collects errors that are thrown in microtasks. */
function uncaught(): unknown[] {
  const errors: unknown[] = []
  vi.stubGlobal('queueMicrotask', (run: () => void) => {
    try {
      run()
    } catch (error) {
      errors.push(error)
    }
  })
  return errors
}
afterEach(() => vi.unstubAllGlobals())

describe('listeners of a channel', () => {
  it('can throw without affecting other listeners and messages', async () => {
    const errors = uncaught()
    const { channel, fake } = await open()
    const seen: unknown[] = []
    channel.onMessage((message) => {
      throw new Error(`no ${String(message)}`)
    })
    channel.onMessage((message) => seen.push(message))
    fake.last().welcome()
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    fake.last().deliver({ o: 'm', i: 2, d: 'b' })
    expect(seen).toEqual(['a', 'b'])
    expect(errors.map(String)).toEqual(['Error: no a', 'Error: no b'])
  })

  it('can throw on a status change, and pending messages are still sent again', async () => {
    uncaught()
    const { channel, fake, reconnect } = await open()
    channel.state.subscribe(() => {
      throw new Error(channel.state.get().status)
    })
    fake.last().welcome()
    channel.send(1)
    await reconnect()
    fake.last().welcome({ res: true, ack: 0 })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 1, d: 1, r: 1 }])
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 1 })
  })

  it.each([true, false])('can send when it opens, after pending messages (resumed: %s)', async (res) => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome()
    for (const n of [1, 2, 3]) channel.send(n)
    fake.last().deliver({ o: 'a', i: 1 })
    const stop = channel.state.subscribe(() => {
      if (channel.state.get().status !== 'open') return
      stop()
      channel.send('at once')
    })
    await reconnect()
    fake.last().welcome({ res, ack: res ? 1 : 0 })
    const first = res ? 2 : 1
    expect(fake.last().messages()).toEqual([
      { o: 'm', i: first, d: 2, r: 1 },
      { o: 'm', i: first + 1, d: 3, r: 1 },
      { o: 'm', i: first + 2, d: 'at once' },
    ])
  })

  it('can close it when it opens', async () => {
    const { channel, fake, clock } = await open()
    channel.send('never')
    channel.state.subscribe(() => {
      if (channel.state.get().status === 'open') channel.close()
    })
    fake.last().welcome()
    expect(channel.state.get()).toMatchObject({ status: 'closed', pending: 1 })
    expect(fake.last()).toMatchObject({ isClosed: true })
    expect(fake.last().messages()).toEqual([])
    expect(clock.waiting).toBe(0)
  })

  it.each([true, false])('can close it when the page wakes up (connected: %s)', async (isConnected) => {
    let emitPageEvent = (_event: PageEvent): void => {}
    const { channel, fake, clock } = await open({ page: (listener) => ((emitPageEvent = listener), () => {}) })
    fake.last().welcome()
    emitPageEvent('offline')
    if (!isConnected) fake.last().hangUp(1006)
    await clock.advance(60_000)
    channel.state.subscribe(() => channel.close())
    emitPageEvent('wake')
    await clock.advance(60_000)
    expect(channel.state.get().status).toBe('closed')
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true])
    expect(clock.waiting).toBe(0)
  })

  it('can send or close it during a message', async () => {
    const { channel, fake, received, clock } = await open()
    channel.onMessage((message) => (message === 'last' ? channel.close() : void channel.send(message)))
    fake.last().welcome()
    for (const [index, d] of ['a', 'b', 'last', 'c'].entries()) fake.last().deliver({ o: 'm', i: index + 1, d })
    expect(received).toEqual(['a', 'b', 'last'])
    expect(fake.last().messages()).toHaveLength(2)
    expect([fake.last().isClosed, clock.waiting]).toEqual([true, 0])
  })

  it('receive the next message if they are added during a message', async () => {
    const { channel, fake } = await open()
    const seen: string[] = []
    const listen = (count: number): void => {
      const stop = channel.onMessage((message) => {
        stop()
        seen.push(`${count} ${String(message)}`)
        if (count < 10) listen(count + 1)
      })
    }
    listen(1)
    fake.last().welcome()
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    fake.last().deliver({ o: 'm', i: 2, d: 'b' })
    expect(seen).toEqual(['1 a', '2 b'])
  })
})
