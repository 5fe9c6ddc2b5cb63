import { afterEach, describe, expect, it, vi } from 'vitest'
import { open } from './channel.test.fixture.ts'
import type { PageEvent } from '../page-events.ts'

/** Catches what is thrown where nobody can catch it. */
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

describe('what the listeners of a channel do', () => {
  it('may throw: the others emitPageEvent the message all the same, and the next ones come', async () => {
    const errors = uncaught()
    const { channel, wire } = await open()
    const seen: unknown[] = []
    channel.onMessage((message) => {
      throw new Error(`no ${String(message)}`)
    })
    channel.onMessage((message) => seen.push(message))
    wire.last().welcome()
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    wire.last().deliver({ o: 'm', i: 2, d: 'b' })
    expect(seen).toEqual(['a', 'b'])
    expect(errors.map(String)).toEqual(['Error: no a', 'Error: no b'])
  })

  it('may throw at any status, and what waits is sent again all the same', async () => {
    uncaught()
    const { channel, wire, reconnect } = await open()
    channel.state.subscribe(() => {
      throw new Error(channel.state.get().status)
    })
    wire.last().welcome()
    channel.send(1)
    await reconnect()
    wire.last().welcome({ res: true, ack: 0 })
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 1, d: 1, r: 1 }])
    expect(channel.state.get()).toMatchObject({ status: 'open', pending: 1 })
  })

  it.each([true, false])('may send as soon as it is open: what waited goes first (resumed: %s)', async (res) => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome()
    for (const n of [1, 2, 3]) channel.send(n)
    wire.last().deliver({ o: 'a', i: 1 })
    const stop = channel.state.subscribe(() => {
      if (channel.state.get().status !== 'open') return
      stop()
      channel.send('at once')
    })
    await reconnect()
    wire.last().welcome({ res, ack: res ? 1 : 0 })
    const first = res ? 2 : 1
    expect(wire.last().messages()).toEqual([
      { o: 'm', i: first, d: 2, r: 1 },
      { o: 'm', i: first + 1, d: 3, r: 1 },
      { o: 'm', i: first + 2, d: 'at once' },
    ])
  })

  it('may close it as soon as it is open', async () => {
    const { channel, wire, clock } = await open()
    channel.send('never')
    channel.state.subscribe(() => {
      if (channel.state.get().status === 'open') channel.close()
    })
    wire.last().welcome()
    expect(channel.state.get()).toMatchObject({ status: 'closed', pending: 1 })
    expect(wire.last()).toMatchObject({ isClosed: true })
    expect(wire.last().messages()).toEqual([])
    expect(clock.waiting).toBe(0)
  })

  it.each([true, false])('may close it when the page is back (connected: %s)', async (isConnected) => {
    let emitPageEvent = (_event: PageEvent): void => {}
    const { channel, wire, clock } = await open({ page: (listener) => ((emitPageEvent = listener), () => {}) })
    wire.last().welcome()
    emitPageEvent('offline')
    if (!isConnected) wire.last().hangUp(1006)
    await clock.advance(60_000)
    channel.state.subscribe(() => channel.close())
    emitPageEvent('wake')
    await clock.advance(60_000)
    expect(channel.state.get().status).toBe('closed')
    expect(wire.sockets.map(({ isClosed }) => isClosed)).toEqual([true])
    expect(clock.waiting).toBe(0)
  })

  it('may close it or send in the middle of messages', async () => {
    const { channel, wire, received, clock } = await open()
    channel.onMessage((message) => (message === 'last' ? channel.close() : void channel.send(message)))
    wire.last().welcome()
    for (const [index, d] of ['a', 'b', 'last', 'c'].entries()) wire.last().deliver({ o: 'm', i: index + 1, d })
    expect(received).toEqual(['a', 'b', 'last'])
    expect(wire.last().messages()).toHaveLength(2)
    expect([wire.last().isClosed, clock.waiting]).toEqual([true, 0])
  })

  it('may be others from then on: who comes in the middle of a message hears the next one', async () => {
    const { channel, wire } = await open()
    const seen: string[] = []
    const listen = (count: number): void => {
      const stop = channel.onMessage((message) => {
        stop()
        seen.push(`${count} ${String(message)}`)
        if (count < 10) listen(count + 1)
      })
    }
    listen(1)
    wire.last().welcome()
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    wire.last().deliver({ o: 'm', i: 2, d: 'b' })
    expect(seen).toEqual(['1 a', '2 b'])
  })
})
