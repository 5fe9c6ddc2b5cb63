import { describe, expect, it, vi } from 'vitest'
import { createChannelView } from './channel-view.ts'
import { createFakeClock, settle } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import { createHttpClient } from '../http/http-client.ts'
import { openChannel } from './open-channel.ts'

function setUp(maxMessages?: number) {
  const clock = createFakeClock()
  const { WebSocket, sockets, last } = createFakeWebSockets()
  const client = createHttpClient({ baseUrl: 'http://x.dev', WebSocket, clock })
  const view = createChannelView({ clock, maxMessages })
  const share = (path: string) => openChannel(client, path)
  return { clock, sockets, last, view, share }
}

describe('createChannelView', () => {
  it('shows the state, the latest message and the history', async () => {
    const { clock, last, view, share } = setUp()
    expect(view.get()).toEqual({ status: 'idle', error: null, pending: 0, data: undefined, messages: [] })
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    last().deliver({ o: 'm', i: 1, d: 'a' })
    last().deliver({ o: 'm', i: 2, d: null })
    await clock.advance(16)
    expect(view.get()).toMatchObject({ status: 'open', data: null, messages: ['a', null] })
    view.clear()
    expect(view.get()).toMatchObject({ status: 'open', data: null, messages: [] })
  })

  it('changes at most once per frame, and its history only with new messages', async () => {
    const { clock, last, view, share } = setUp()
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    await clock.advance(100)
    const listener = vi.fn<() => void>()
    view.subscribe(listener)
    for (let i = 1; i <= 1000; i++) last().deliver({ o: 'm', i, d: i })
    await clock.advance(100)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(view.get().messages).toHaveLength(1000)
    const { messages } = view.get()
    view.send('x')
    await clock.advance(100)
    expect(view.get()).toMatchObject({ pending: 1, data: 1000 })
    expect(view.get().messages).toBe(messages)
  })

  it('keeps only the newest messages', async () => {
    const { clock, last, view, share } = setUp(10)
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    for (let i = 1; i <= 57; i++) last().deliver({ o: 'm', i, d: i })
    await clock.advance(16)
    expect(view.get().messages).toEqual([48, 49, 50, 51, 52, 53, 54, 55, 56, 57])
  })

  it('starts with an empty history on another channel', async () => {
    const { clock, last, sockets, view, share } = setUp()
    const detach = view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    last().deliver({ o: 'm', i: 1, d: 'a' })
    detach()
    view.attach(share('/ws/b'))
    expect(view.get()).toMatchObject({ data: undefined, messages: [] })
    sockets[0]?.deliver({ o: 'm', i: 2, d: 'late' })
    await clock.advance(2000)
    expect(view.get().messages).toEqual([])
    expect(sockets[0]?.isClosed).toBe(true)
  })

  it('sends messages from before a channel was attached', async () => {
    const { last, view, share } = setUp()
    const message = { text: 'before' }
    expect(view.send(message)).toBe(true)
    expect(() => view.send(undefined)).toThrow(TypeError)
    message.text = 'after'
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    expect(last().messages()).toEqual([{ o: 'm', i: 1, d: { text: 'before' } }])
  })

  it('throws in send but not in attach if a message is too large', async () => {
    const { last, view, share } = setUp()
    const other = share('/ws/a')
    await settle()
    last().welcome({ max: 1000 })
    expect(() => view.send('x'.repeat(1_048_576))).toThrow(/exceeds 1048576 bytes/)
    for (const message of ['a', 'x'.repeat(1000), 'b']) expect(view.send(message)).toBe(true)
    view.attach(share('/ws/a'))
    expect(view.get().error).toMatchObject({ code: 'CONTENT_TOO_LARGE', status: 413 })
    expect(other.state.get().error).toBeNull()
    expect(
      last()
        .messages()
        .map(({ d }) => d),
    ).toEqual(['a', 'b'])
  })

  it('shows the same as another view that was attached at another time', async () => {
    const { clock, last, view, share } = setUp()
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    await clock.advance(10)
    const other = createChannelView()
    other.attach(share('/ws/a'))
    const differences: unknown[] = []
    const compare = (): void => {
      // Compares after all listeners have run, which is when a framework renders.
      queueMicrotask(() => {
        if (view.get().data !== other.get().data) differences.push([view.get().data, other.get().data])
      })
    }
    view.subscribe(compare)
    other.subscribe(compare)
    for (let i = 1; i <= 100; i++) {
      last().deliver({ o: 'm', i, d: i })
      await clock.advance(7)
    }
    expect(view.get().data).toBe(other.get().data)
    expect(differences).toEqual([])
  })

  it('keeps its history while its channel is released, until another name is attached', async () => {
    const { clock, last, view, share } = setUp()
    const detach = view.attach(share('/ws/a'), 'a')
    await settle()
    last().welcome()
    last().deliver({ o: 'm', i: 1, d: 'one' })
    await clock.advance(16)
    detach()
    expect(view.of('a')).toMatchObject({ status: 'idle', data: 'one', messages: ['one'] })
    const detachAgain = view.attach(share('/ws/a'), 'a')
    last().deliver({ o: 'm', i: 2, d: 'two' })
    await clock.advance(16)
    expect(view.of('a')).toMatchObject({ status: 'open', data: 'two', messages: ['one', 'two'] })
    detachAgain()
    view.attach(share('/ws/a'), 'b')
    expect(view.of('b')).toMatchObject({ status: 'open', data: undefined, messages: [] })
  })

  it('returns its state only for the name of the attached channel', async () => {
    const { clock, last, view, share } = setUp()
    view.attach(share('/ws/a'), 'a')
    await settle()
    last().welcome()
    last().deliver({ o: 'm', i: 1, d: 'a' })
    await clock.advance(16)
    expect(view.of('a')).toMatchObject({ status: 'open', messages: ['a'] })
    expect(view.of('b')).toMatchObject({ status: 'idle', messages: [] })
    expect(view.of('b')).toBe(view.of(undefined))
  })

  it('closes immediately and rejects later messages', async () => {
    const { last, view, share } = setUp()
    view.attach(share('/ws/a'))
    await settle()
    last().welcome()
    view.close()
    expect(view.get().status).toBe('closed')
    expect(view.send(1)).toBe(false)
    expect(last().isClosed).toBe(true)
  })
})
