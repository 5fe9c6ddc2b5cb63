import { describe, expect, it, vi } from 'vitest'
import { toReadyState } from './channel.ts'
import { open } from './channel.test.fixture.ts'

describe('createChannel', () => {
  it('queues messages until it is connected, and sends them in order', async () => {
    const { channel, fake } = await open()
    expect([channel.send({ n: 1 }), channel.send(null)]).toEqual([true, true])
    expect(channel.state.get()).toMatchObject({ status: 'connecting', pending: 2 })
    fake.last().welcome()
    channel.send('three')
    expect(fake.last().messages()).toEqual([
      { o: 'm', i: 1, d: { n: 1 } },
      { o: 'm', i: 2, d: null },
      { o: 'm', i: 3, d: 'three' },
    ])
    fake.last().deliver({ o: 'a', i: 2 })
    expect(channel.state.get()).toEqual({ status: 'open', error: null, pending: 1 })
  })

  it('resumes a session and marks unacknowledged messages that it sends again', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome({ sid: 'first' })
    for (const n of [1, 2, 3]) channel.send(n)
    fake.last().deliver({ o: 'a', i: 1 })
    fake.last().deliver({ o: 'm', i: 9, d: 'direct' })
    fake.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 503, d: 'room' })
    await reconnect()
    channel.send(4)
    fake.last().welcome({ sid: 'first', res: true, ack: 2 })
    expect(fake.last().sent).toEqual([
      { o: 'hi', v: 1, sid: 'first', rx: 9, pos: { lobby: ['e1', 503] } },
      { o: 'm', i: 3, d: 3, r: 1 },
      { o: 'm', i: 4, d: 4 },
    ])
  })

  it('counts from 1 again if the server does not know the session', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome({ sid: 'first' })
    for (const n of [1, 2]) channel.send(n)
    fake.last().deliver({ o: 'a', i: 1 })
    await reconnect()
    fake.last().welcome({ sid: 'second' })
    channel.send(3)
    expect(fake.last().messages()).toEqual([
      { o: 'm', i: 1, d: 2, r: 1 },
      { o: 'm', i: 2, d: 3 },
    ])
  })

  it('loses and reorders nothing across many disconnects', async () => {
    const { channel, fake, reconnect } = await open()
    const handled: number[] = []
    let sent = 0
    for (let turn = 0; turn < 20; turn++) {
      for (let count = 0; count < turn % 7; count++) channel.send(++sent)
      fake.last().welcome({ sid: `s${turn}` })
      channel.send(++sent)
      const messages = fake.last().messages()
      const done = messages.slice(0, turn % 4)
      handled.push(...done.map(({ d }) => d as number))
      if (done.length > 0) fake.last().deliver({ o: 'a', i: done.length })
      await reconnect()
    }
    fake.last().welcome()
    handled.push(
      ...fake
        .last()
        .messages()
        .map(({ d }) => d as number),
    )
    expect(handled).toEqual(Array.from({ length: sent }, (_, index) => index + 1))
  })

  it('delivers every message of the session and of rooms once', async () => {
    const { fake, received, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    fake.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
    await reconnect()
    fake.last().welcome({ sid: 's', res: true })
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    fake.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
    fake.last().deliver({ o: 'm', i: 2, d: 'c' })
    expect(received).toEqual(['a', 'b', 'c'])
  })

  it('sends acks at most every 200 ms', async () => {
    const { fake, clock } = await open()
    fake.last().welcome()
    for (let i = 1; i <= 50; i++) fake.last().deliver({ o: 'm', i, d: i })
    const acks = (): unknown[] => fake.last().sent.filter(({ o }) => o === 'a')
    await clock.advance(199)
    expect(acks()).toEqual([])
    await clock.advance(1)
    expect(acks()).toEqual([{ o: 'a', i: 50 }])
  })

  it('sends at most a window of unacknowledged messages', async () => {
    const { channel, fake } = await open()
    fake.last().welcome({ win: 3 })
    for (let n = 1; n <= 5; n++) channel.send(n)
    expect(fake.last().messages()).toHaveLength(3)
    fake.last().deliver({ o: 'a', i: 1 })
    expect(fake.last().messages()).toHaveLength(4)
  })

  it('rejects new messages while the queue is full', async () => {
    const { channel, fake } = await open({ maxPending: 2 })
    expect([channel.send(1), channel.send(2), channel.send(3)]).toEqual([true, true, false])
    expect(channel.state.get()).toMatchObject({ error: { code: 'QUEUE_FULL' }, pending: 2 })
    fake.last().welcome()
    expect(channel.state.get()).toMatchObject({ error: null, pending: 2 })
    expect(channel.send(4)).toBe(false)
    fake.last().deliver({ o: 'p' })
    fake.last().deliver({ o: 'a', i: 2 })
    expect(channel.state.get()).toMatchObject({ error: { code: 'QUEUE_FULL', status: 0 }, pending: 0 })
    expect(channel.send(5)).toBe(true)
    expect(channel.state.get()).toMatchObject({ error: null, pending: 1 })
  })

  it('clears the error of a message on the next send, but not the error of the connection', async () => {
    const { channel, fake } = await open()
    fake.last().welcome()
    channel.send(1)
    fake.last().deliver({ o: 'e', i: 1, status: 410, error: { code: 'GONE', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'GONE' })
    channel.send(2)
    expect(channel.state.get().error).toBe(null)
    fake.last().hangUp(1006)
    channel.send(3)
    expect(channel.state.get().error).toMatchObject({ code: 'NETWORK_ERROR' })
  })

  it('closes with the last error of the app, or without an error', async () => {
    const [failed, quiet] = [await open(), await open()]
    for (const { fake } of [failed, quiet]) fake.last().welcome()
    const error = { code: 'CLOSED', message: 'the game is over', details: [] }
    failed.fake.last().deliver({ o: 'e', i: 0, status: 0, error })
    for (const { fake } of [failed, quiet]) fake.last().hangUp(4000)
    expect(failed.channel.state.get()).toMatchObject({ status: 'closed', error: { ...error, status: 0 } })
    expect(quiet.channel.state.get()).toMatchObject({ status: 'closed', error: null })
  })

  it('serializes a message immediately and throws if it is invalid', async () => {
    const { channel, fake } = await open()
    const message = { text: 'before' }
    channel.send(message)
    message.text = 'after'
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    expect(() => channel.send(ring)).toThrow(TypeError)
    expect(() => channel.send(undefined)).toThrow(/a message must be JSON, got undefined/)
    expect(() => channel.send('x'.repeat(1_048_576))).toThrow(/exceeds 1048576 bytes/)
    fake.last().welcome()
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 1, d: { text: 'before' } }])
  })

  it('drops a pending message that is too large for the server and exposes the error', async () => {
    const { channel, fake } = await open()
    for (const message of ['small', 'x'.repeat(1000), 'next']) channel.send(message)
    fake.last().welcome({ max: 1000 })
    expect(fake.last().messages()).toEqual([
      { o: 'm', i: 1, d: 'small' },
      { o: 'm', i: 2, d: 'next' },
    ])
    expect(channel.state.get()).toMatchObject({ status: 'open', error: { code: 'CONTENT_TOO_LARGE' }, pending: 2 })
    expect(() => channel.send('x'.repeat(1000))).toThrow(/exceeds 1000 bytes/)
  })

  it('exposes the error of a message and does not send it again after an ack', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    for (const message of ['good', 'bad', 'next']) channel.send(message)
    const error = { code: 'INVALID_REQUEST', message: 'text is required', details: [] }
    fake.last().deliver({ o: 'e', i: 2, status: 400, error })
    expect(channel.state.get()).toMatchObject({
      status: 'open',
      error: { code: 'INVALID_REQUEST', status: 400, message: 'text is required' },
    })
    fake.last().deliver({ o: 'a', i: 1 })
    await reconnect()
    fake.last().welcome({ sid: 's', res: true, ack: 2 })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 3, d: 'next', r: 1 }])
  })

  it('leaves no gap in its numbers if a failed message was not acknowledged', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    for (const message of ['good', 'bad', 'next']) channel.send(message)
    fake.last().deliver({ o: 'e', i: 2, error: { code: 'INVALID_REQUEST', message: 'no', details: [] } })
    await reconnect()
    fake.last().welcome({ sid: 's', res: true, ack: 0 })
    expect(
      fake
        .last()
        .messages()
        .map(({ i }) => i),
    ).toEqual([1, 2, 3])
  })

  it('reports gaps in the session and in rooms and resumes after them', async () => {
    const { channel, fake, received, reconnect } = await open()
    const gaps: unknown[] = []
    const stop = channel.onGap((gap) => gaps.push(gap))
    fake.last().welcome()
    fake.last().deliver({ o: 'gap', from: 0, to: 12 })
    fake.last().deliver({ o: 'gap', s: 'lobby', from: 503, to: 610 })
    fake.last().deliver({ o: 'at', s: 'lobby', e: 'e1', i: 610 })
    fake.last().deliver({ o: 'at', s: 'hall', e: 'e1', i: 7 })
    fake.last().deliver({ o: 'left', s: 'hall' })
    expect(gaps).toEqual([
      { room: null, from: 0, to: 12 },
      { room: 'lobby', from: 503, to: 610 },
    ])
    stop()
    fake.last().deliver({ o: 'gap', from: 12, to: 12 })
    expect(gaps).toHaveLength(2)
    expect(received).toEqual([])
    await reconnect()
    fake.last().accept()
    expect(fake.last().sent[0]).toMatchObject({ rx: 12, pos: { lobby: ['e1', 610] } })
  })

  it('keeps its numbers if a restarted server resumes the session without its messages', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    for (const n of [1, 2, 3]) channel.send(n)
    fake.last().deliver({ o: 'a', i: 2 })
    await reconnect()
    fake.last().welcome({ sid: 's-again', res: true, ack: 0 })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 3, d: 3, r: 1 }])
    await reconnect()
    fake.last().accept()
    expect(fake.last().sent[0]).toMatchObject({ sid: 's-again' })
  })

  it('exposes a lost connection until it is open again', async () => {
    const { channel, fake, reconnect } = await open()
    fake.last().welcome()
    fake.last().hangUp(1006)
    expect(channel.state.get()).toMatchObject({ status: 'reconnecting', error: { code: 'NETWORK_ERROR' } })
    await reconnect()
    expect(channel.state.get()).toMatchObject({ status: 'reconnecting', error: { code: 'NETWORK_ERROR' } })
    fake.last().welcome()
    expect(channel.state.get()).toMatchObject({ status: 'open', error: null })
  })

  it('rejects messages after close', async () => {
    const { channel, fake } = await open()
    fake.last().welcome()
    channel.close()
    expect(channel.send(1)).toBe(false)
    expect(channel.state.get()).toMatchObject({ status: 'closed', pending: 0 })
  })

  it('removes listeners', async () => {
    const { channel, fake } = await open()
    const listener = vi.fn<() => void>()
    channel.onMessage(listener)()
    fake.last().welcome()
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    expect(listener).not.toHaveBeenCalled()
  })
})

describe('toReadyState', () => {
  it('returns the numbers of WebSocket', () => {
    const states = (['idle', 'connecting', 'reconnecting', 'offline', 'open', 'closed', 'failed'] as const).map(
      toReadyState,
    )
    expect(states).toEqual([0, 0, 0, 0, 1, 3, 3])
  })
})
