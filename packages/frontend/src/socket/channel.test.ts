import { describe, expect, it, vi } from 'vitest'
import { toReadyState } from './channel.ts'
import { open } from './channel.test.fixture.ts'

describe('createChannel', () => {
  it('queues messages until it is connected, and sends them in order', async () => {
    const { channel, wire } = await open()
    expect([channel.send({ n: 1 }), channel.send(null)]).toEqual([true, true])
    expect(channel.state.get()).toMatchObject({ status: 'connecting', pending: 2 })
    wire.last().welcome()
    channel.send('three')
    expect(wire.last().messages()).toEqual([
      { o: 'm', i: 1, d: { n: 1 } },
      { o: 'm', i: 2, d: null },
      { o: 'm', i: 3, d: 'three' },
    ])
    wire.last().deliver({ o: 'a', i: 2 })
    expect(channel.state.get()).toEqual({ status: 'open', error: null, pending: 1 })
  })

  it('resumes a session: sends again what was not handled, marked as such', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome({ sid: 'first' })
    for (const n of [1, 2, 3]) channel.send(n)
    wire.last().deliver({ o: 'a', i: 1 })
    wire.last().deliver({ o: 'm', i: 9, d: 'direct' })
    wire.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 503, d: 'room' })
    await reconnect()
    channel.send(4)
    wire.last().welcome({ sid: 'first', res: true, ack: 2 })
    expect(wire.last().sent).toEqual([
      { o: 'hi', v: 1, sid: 'first', rx: 9, pos: { lobby: ['e1', 503] } },
      { o: 'm', i: 3, d: 3, r: 1 },
      { o: 'm', i: 4, d: 4 },
    ])
  })

  it('counts from 1 again where the server does not know the session', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome({ sid: 'first' })
    for (const n of [1, 2]) channel.send(n)
    wire.last().deliver({ o: 'a', i: 1 })
    await reconnect()
    wire.last().welcome({ sid: 'second' })
    channel.send(3)
    expect(wire.last().messages()).toEqual([
      { o: 'm', i: 1, d: 2, r: 1 },
      { o: 'm', i: 2, d: 3 },
    ])
  })

  it('loses and reorders nothing over many cuts', async () => {
    const { channel, wire, reconnect } = await open()
    const handled: number[] = []
    let sent = 0
    for (let turn = 0; turn < 20; turn++) {
      for (let count = 0; count < turn % 7; count++) channel.send(++sent)
      wire.last().welcome({ sid: `s${turn}` })
      channel.send(++sent)
      const messages = wire.last().messages()
      const done = messages.slice(0, turn % 4)
      handled.push(...done.map(({ d }) => d as number))
      if (done.length > 0) wire.last().deliver({ o: 'a', i: done.length })
      await reconnect()
    }
    wire.last().welcome()
    handled.push(
      ...wire
        .last()
        .messages()
        .map(({ d }) => d as number),
    )
    expect(handled).toEqual(Array.from({ length: sent }, (_, index) => index + 1))
  })

  it('delivers every message once, of the session and of rooms', async () => {
    const { wire, received, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    wire.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
    await reconnect()
    wire.last().welcome({ sid: 's', res: true })
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    wire.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
    wire.last().deliver({ o: 'm', i: 2, d: 'c' })
    expect(received).toEqual(['a', 'b', 'c'])
  })

  it('sends receipts at most every 200 ms', async () => {
    const { wire, clock } = await open()
    wire.last().welcome()
    for (let i = 1; i <= 50; i++) wire.last().deliver({ o: 'm', i, d: i })
    const receipts = (): unknown[] => wire.last().sent.filter(({ o }) => o === 'a')
    await clock.advance(199)
    expect(receipts()).toEqual([])
    await clock.advance(1)
    expect(receipts()).toEqual([{ o: 'a', i: 50 }])
  })

  it('has at most a window of messages on their way', async () => {
    const { channel, wire } = await open()
    wire.last().welcome({ win: 3 })
    for (let n = 1; n <= 5; n++) channel.send(n)
    expect(wire.last().messages()).toHaveLength(3)
    wire.last().deliver({ o: 'a', i: 1 })
    expect(wire.last().messages()).toHaveLength(4)
  })

  it('refuses the newest message when the queue is full, and takes more when it has room', async () => {
    const { channel, wire } = await open({ maxPending: 2 })
    expect([channel.send(1), channel.send(2), channel.send(3)]).toEqual([true, true, false])
    expect(channel.state.get()).toMatchObject({ error: { code: 'QUEUE_FULL' }, pending: 2 })
    wire.last().welcome()
    expect(channel.state.get()).toMatchObject({ error: null, pending: 2 })
    expect(channel.send(4)).toBe(false)
    wire.last().deliver({ o: 'p' })
    wire.last().deliver({ o: 'a', i: 2 })
    expect(channel.state.get()).toMatchObject({ error: { code: 'QUEUE_FULL', status: 0 }, pending: 0 })
    expect(channel.send(5)).toBe(true)
    expect(channel.state.get()).toMatchObject({ error: null, pending: 1 })
  })

  it('shows the error of a message until the next one is sent, but why there is no connection until there is one', async () => {
    const { channel, wire } = await open()
    wire.last().welcome()
    channel.send(1)
    wire.last().deliver({ o: 'e', i: 1, status: 410, error: { code: 'GONE', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'GONE' })
    channel.send(2)
    expect(channel.state.get().error).toBe(null)
    wire.last().hangUp(1006)
    channel.send(3)
    expect(channel.state.get().error).toMatchObject({ code: 'NETWORK_ERROR' })
  })

  it('ends with what the app says last, and without an error where it says nothing', async () => {
    const [told, quiet] = [await open(), await open()]
    for (const { wire } of [told, quiet]) wire.last().welcome()
    const error = { code: 'CLOSED', message: 'the game is over', details: [] }
    told.wire.last().deliver({ o: 'e', i: 0, status: 0, error })
    for (const { wire } of [told, quiet]) wire.last().hangUp(4000)
    expect(told.channel.state.get()).toMatchObject({ status: 'closed', error: { ...error, status: 0 } })
    expect(quiet.channel.state.get()).toMatchObject({ status: 'closed', error: null })
  })

  it('makes JSON of a message at once: a bad one throws at its caller and poisons nothing', async () => {
    const { channel, wire } = await open()
    const message = { text: 'before' }
    channel.send(message)
    message.text = 'after'
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    expect(() => channel.send(ring)).toThrow(TypeError)
    expect(() => channel.send(undefined)).toThrow(/a message must be JSON, got undefined/)
    expect(() => channel.send('x'.repeat(1_048_576))).toThrow(/exceeds 1048576 bytes/)
    wire.last().welcome()
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 1, d: { text: 'before' } }])
  })

  it('drops a message that waited for a server which takes none so large, and says so', async () => {
    const { channel, wire } = await open()
    for (const message of ['small', 'x'.repeat(1000), 'next']) channel.send(message)
    wire.last().welcome({ max: 1000 })
    expect(wire.last().messages()).toEqual([
      { o: 'm', i: 1, d: 'small' },
      { o: 'm', i: 2, d: 'next' },
    ])
    expect(channel.state.get()).toMatchObject({ status: 'open', error: { code: 'CONTENT_TOO_LARGE' }, pending: 2 })
    expect(() => channel.send('x'.repeat(1000))).toThrow(/exceeds 1000 bytes/)
  })

  it('shows what went wrong with a message, and never sends it again where the server remembers it', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    for (const message of ['good', 'bad', 'next']) channel.send(message)
    const error = { code: 'INVALID_REQUEST', message: 'text is required', details: [] }
    wire.last().deliver({ o: 'e', i: 2, status: 400, error })
    expect(channel.state.get()).toMatchObject({
      status: 'open',
      error: { code: 'INVALID_REQUEST', status: 400, message: 'text is required' },
    })
    wire.last().deliver({ o: 'a', i: 1 })
    await reconnect()
    wire.last().welcome({ sid: 's', res: true, ack: 2 })
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 3, d: 'next', r: 1 }])
  })

  it('leaves no hole in its numbers where a server has died that told of an error but gave no receipt', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    for (const message of ['good', 'bad', 'next']) channel.send(message)
    wire.last().deliver({ o: 'e', i: 2, error: { code: 'INVALID_REQUEST', message: 'no', details: [] } })
    await reconnect()
    wire.last().welcome({ sid: 's', res: true, ack: 0 })
    expect(
      wire
        .last()
        .messages()
        .map(({ i }) => i),
    ).toEqual([1, 2, 3])
  })

  it('tells of gaps, in the session and in rooms, and resumes behind them', async () => {
    const { channel, wire, received, reconnect } = await open()
    const gaps: unknown[] = []
    const stop = channel.onGap((gap) => gaps.push(gap))
    wire.last().welcome()
    wire.last().deliver({ o: 'gap', from: 0, to: 12 })
    wire.last().deliver({ o: 'gap', s: 'lobby', from: 503, to: 610 })
    wire.last().deliver({ o: 'at', s: 'lobby', e: 'e1', i: 610 })
    wire.last().deliver({ o: 'at', s: 'hall', e: 'e1', i: 7 })
    wire.last().deliver({ o: 'left', s: 'hall' })
    expect(gaps).toEqual([
      { room: null, from: 0, to: 12 },
      { room: 'lobby', from: 503, to: 610 },
    ])
    stop()
    wire.last().deliver({ o: 'gap', from: 12, to: 12 })
    expect(gaps).toHaveLength(2)
    expect(received).toEqual([])
    await reconnect()
    wire.last().accept()
    expect(wire.last().sent[0]).toMatchObject({ rx: 12, pos: { lobby: ['e1', 610] } })
  })

  it('keeps its numbers where a restarted server goes on with the session, but knows no message of it', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    for (const n of [1, 2, 3]) channel.send(n)
    wire.last().deliver({ o: 'a', i: 2 })
    await reconnect()
    wire.last().welcome({ sid: 's-again', res: true, ack: 0 })
    expect(wire.last().messages()).toEqual([{ o: 'm', i: 3, d: 3, r: 1 }])
    await reconnect()
    wire.last().accept()
    expect(wire.last().sent[0]).toMatchObject({ sid: 's-again' })
  })

  it('shows a lost connection until there is one again', async () => {
    const { channel, wire, reconnect } = await open()
    wire.last().welcome()
    wire.last().hangUp(1006)
    expect(channel.state.get()).toMatchObject({ status: 'reconnecting', error: { code: 'NETWORK_ERROR' } })
    await reconnect()
    expect(channel.state.get()).toMatchObject({ status: 'reconnecting', error: { code: 'NETWORK_ERROR' } })
    wire.last().welcome()
    expect(channel.state.get()).toMatchObject({ status: 'open', error: null })
  })

  it('takes nothing after its end', async () => {
    const { channel, wire } = await open()
    wire.last().welcome()
    channel.close()
    expect(channel.send(1)).toBe(false)
    expect(channel.state.get()).toMatchObject({ status: 'closed', pending: 0 })
  })

  it('lets listeners go', async () => {
    const { channel, wire } = await open()
    const listener = vi.fn<() => void>()
    channel.onMessage(listener)()
    wire.last().welcome()
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    expect(listener).not.toHaveBeenCalled()
  })
})

describe('toReadyState', () => {
  it('has the numbers of WebSocket', () => {
    const states = (['idle', 'connecting', 'reconnecting', 'offline', 'open', 'closed', 'failed'] as const).map(
      toReadyState,
    )
    expect(states).toEqual([0, 0, 0, 0, 1, 3, 3])
  })
})
