import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, positionOf, settle, silent } from './hub.test.fixture.ts'
import { createRooms } from './rooms.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

const lobby: AnySocketDefinition = { open: (peer: Peer) => peer.join('lobby') }

/** Creates an engine that delivers messages and history over two connections, each when it is released. */
function createSlow() {
  const engine = memoryEngine({ log: silent })
  const deliveries: (() => void)[] = []
  const responses: (() => void)[] = []
  const slow: Engine = {
    ...engine,
    subscribe: (stream, listener) => engine.subscribe(stream, (frame) => void deliveries.push(() => listener(frame))),
    async history(...args) {
      const frames = await engine.history(...args)
      await new Promise<void>((resolve) => responses.push(resolve))
      return frames
    },
  }
  return { engine, slow, deliveries, responses }
}

describe('a room', () => {
  it('delivers messages to all members in order, with the same bytes', async () => {
    const { hub, sdk, raw } = createTestHub(lobby)
    const lines = [sdk(), sdk()] as const
    for (const line of lines) await line.hello()
    const bare = raw()
    await settle()
    for (let n = 1; n <= 5; n++) void hub.publish('lobby', { n })
    await settle()
    expect(messages(lines[0])).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })))
    const [one, two] = lines.map((line) =>
      line.texts.filter((text) => text.includes('"s":"lobby"') && text.includes('"d"')),
    )
    expect(one).toEqual(two)
    expect(bare.texts).toEqual([1, 2, 3, 4, 5].map((n) => `{"n":${n}}`))
  })

  it('sends its position to a client that joins, so that it misses no message', async () => {
    const { hub, sdk } = createTestHub(lobby)
    const first = sdk()
    const { sid } = await first.hello()
    expect(of(first, 'at')).toMatchObject([{ s: 'lobby', i: 0 }])
    await first.connection.onClose()
    await hub.publish('lobby', 'while you were out')
    const second = sdk()
    await second.hello({ sid, pos: { lobby: positionOf(first) } })
    expect([messages(second), of(second, 'gap')]).toEqual([['while you were out'], []])
  })

  it('continues from the position of the client while new messages arrive', async () => {
    const { hub, sdk } = createTestHub(lobby)
    const first = sdk()
    const { sid } = await first.hello()
    for (let n = 1; n <= 3; n++) await hub.publish('lobby', n)
    const position = positionOf(first)
    await first.connection.onClose()
    for (let n = 4; n <= 350; n++) await hub.publish('lobby', n)
    const second = sdk()
    second.send({ o: 'hi', v: 1, sid, rx: 0, pos: { lobby: position } })
    for (let n = 351; n <= 400; n++) {
      await hub.publish('lobby', n)
      if (n % 10 === 0) await settle()
    }
    await settle()
    expect(messages(second)).toEqual(Array.from({ length: 397 }, (_, index) => index + 4))
  })

  it('delivers a message that arrives before the response of the history', async () => {
    const { engine, slow, deliveries, responses } = createSlow()
    const rooms = createRooms(slow, silent)
    const taken: string[] = []
    const listener = { isSdk: false, onPosition() {}, onGap() {}, onDisconnect() {} }
    rooms.join('lobby', { ...listener, deliver: () => true })
    const position = await engine.publish('lobby', '"received elsewhere"')
    rooms.join('lobby', { ...listener, deliver: ({ text }) => taken.push(text) > 0 }, position)
    await expect.poll(() => responses.length).toBe(1)
    await engine.publish('lobby', '"next"')
    for (const pass of deliveries) pass()
    responses[0]?.()
    await expect.poll(() => responses.length).toBe(2)
    responses[1]?.()
    await expect.poll(() => taken).toEqual(['"next"'])
  })

  it('does not disconnect clients that joined after a disconnect that arrives late', async () => {
    const { engine, slow, deliveries, responses } = createSlow()
    const rooms = createRooms(slow, silent)
    const disconnected: string[] = []
    const listener = (name: string) => ({
      isSdk: false,
      deliver: () => true,
      onPosition() {},
      onGap() {},
      onDisconnect: () => void disconnected.push(name),
    })
    rooms.join('lobby', listener('member'))
    const dismissal = await engine.publish('lobby', '!go')
    const after = await engine.publish('lobby', '"received elsewhere"')
    for (const position of [dismissal, after]) rooms.join('lobby', listener(`at ${position.offset}`), position)
    await expect.poll(() => responses.length).toBe(2)
    for (const pass of deliveries) pass()
    for (const respond of responses) respond()
    await settle()
    expect(disconnected).toEqual(['member'])
  })

  it('sends a gap if its history does not reach back', async () => {
    const engine = memoryEngine({ log: silent, history: { messages: 10 } })
    const { hub, sdk } = createTestHub(lobby, { engine })
    const first = sdk()
    const { sid } = await first.hello()
    const position = positionOf(first)
    await first.connection.onClose()
    for (let n = 1; n <= 30; n++) await hub.publish('lobby', n)
    const second = sdk()
    await second.hello({ sid, pos: { lobby: position } })
    expect(of(second, 'gap')).toEqual([{ o: 'gap', s: 'lobby', from: 0, to: 30 }])
    expect(positionOf(second)[1]).toBe(30)
    await hub.publish('lobby', 31)
    expect(messages(second)).toEqual([31])
  })

  it('sends a gap if the server is another one', async () => {
    const before = createTestHub(lobby)
    const first = before.sdk()
    const { sid } = await first.hello()
    await before.hub.publish('lobby', 1)
    const after = createTestHub(lobby)
    const second = after.sdk()
    await second.hello({ sid, pos: { lobby: positionOf(first) } })
    expect(of(second, 'gap').map(({ s }) => s)).toEqual([undefined, 'lobby'])
    await after.hub.publish('lobby', 'new')
    expect(messages(second)).toEqual(['new'])
  })

  it('sends a gap if it is not joined again', async () => {
    const joins = ['lobby']
    const { sdk } = createTestHub({ open: (peer: Peer) => joins.map((room) => peer.join(room)) })
    const line = sdk()
    await line.hello({ pos: { lobby: ['old', 3], attic: ['old', 9] } })
    expect(of(line, 'gap').map(({ s, from, to }) => [s, from, to])).toEqual([
      ['attic', 9, 9],
      ['lobby', 3, 0],
    ])
  })

  it('waits for a slow client and delivers all messages when it can receive them', async () => {
    const { hub, sdk } = createTestHub(lobby, { limits: { buffer: 100 } })
    const [slow, quick] = [sdk(), sdk()]
    await slow.hello()
    await quick.hello()
    await hub.publish('lobby', 1)
    slow.buffered = 101
    for (let n = 2; n <= 150; n++) await hub.publish('lobby', n)
    expect([messages(slow), messages(quick).length]).toEqual([[1], 150])
    slow.buffered = 0
    slow.connection.onDrain()
    await hub.publish('lobby', 151)
    await settle()
    expect(messages(slow)).toEqual(messages(quick))
  })

  it('closes a raw client that is too slow for its history', async () => {
    const engine = memoryEngine({ log: silent, history: { messages: 10 } })
    const { hub, raw } = createTestHub(lobby, { engine, limits: { buffer: 100 } })
    const line = raw()
    await settle()
    line.buffered = 101
    for (let n = 1; n <= 30; n++) await hub.publish('lobby', n)
    line.buffered = 0
    line.connection.onDrain()
    await settle()
    expect(line.closed).toEqual([[4508, 'the client reads too slowly']])
  })

  it('delivers a message that is published while the peer joins', async () => {
    const { sdk } = createTestHub({
      open(peer: Peer) {
        void peer.join('lobby')
        void peer.publish('lobby', 'hello')
      },
    })
    const line = sdk()
    await line.hello()
    expect(messages(line)).toEqual(['hello'])
  })

  it('sends a gap if the engine has lost messages', async () => {
    const engine = memoryEngine({ log: silent })
    let deliver: Parameters<typeof engine.subscribe>[1] = () => {}
    const lossy = {
      ...engine,
      subscribe(stream: string, listener: typeof deliver) {
        if (stream === 'lobby') deliver = listener // not the process's own stream
        return engine.subscribe(stream, listener)
      },
    }
    const line = createTestHub(lobby, { engine: lossy }).sdk()
    await line.hello()
    const [epoch] = positionOf(line)
    deliver({ stream: 'lobby', epoch, offset: 1, data: '1' })
    deliver({ stream: 'lobby', epoch, offset: 5, data: '5' })
    deliver({ stream: 'lobby', epoch: 'another', offset: 1, data: '6' })
    expect(messages(line)).toEqual([1, 5, 6])
    expect(of(line, 'gap').map(({ from, to }) => [from, to])).toEqual([
      [1, 4],
      [5, 0],
    ])
  })

  it('cannot be joined while the engine fails, and can be joined afterwards', async () => {
    const engine = memoryEngine({ log: silent })
    let isBroken = true
    const broken = {
      ...engine,
      subscribe: (...given: Parameters<typeof engine.subscribe>) =>
        isBroken ? Promise.reject(new Error('down')) : engine.subscribe(...given),
    }
    const { hub, sdk } = createTestHub({ message: (peer: Peer) => peer.join('lobby') }, { engine: broken })
    const line = sdk()
    await line.hello()
    line.send({ o: 'm', i: 1, d: null })
    await settle()
    expect(of(line, 'e')).toHaveLength(1)
    isBroken = false
    line.send({ o: 'm', i: 2, d: null })
    await settle()
    await hub.publish('lobby', 'back')
    expect(messages(line)).toEqual(['back'])
  })

  it.each([[[]], [['meanwhile']]])(
    'delivers messages from the time it is joined while the client is away: %j',
    async (missed) => {
      const { hub, sdk } = createTestHub({ message: (peer: Peer) => settle().then(() => peer.join('lobby')) })
      const first = sdk()
      const { sid } = await first.hello()
      first.send(m(1))
      await first.connection.onClose()
      for (const text of missed) await hub.publish('lobby', text)
      const second = sdk()
      await second.hello({ sid })
      await hub.publish('lobby', 'hello')
      expect([messages(second), of(second, 'gap')]).toEqual([[...missed, 'hello'], []])
      expect(of(second, 'at')).toMatchObject([{ s: 'lobby', i: 0 }])
    },
  )

  it('is not subscribed to for clients that disconnect before they have joined', async () => {
    const engine = memoryEngine({ log: silent })
    let subscriptions = 0
    const subscribe: typeof engine.subscribe = async (...args) => {
      const { from, end } = await engine.subscribe(...args)
      subscriptions++
      return {
        from,
        end() {
          subscriptions--
          end()
        },
      }
    }
    const open = (peer: Peer): Promise<void> => settle().then(() => peer.join(peer.id))
    const { raw } = createTestHub({ open }, { engine: { ...engine, subscribe } })
    await Promise.all(Array.from({ length: 20 }, () => raw().connection.onClose()))
    await settle()
    expect(subscriptions).toBe(0)
  })

  it('sends no position if it is left immediately, and one position if it is joined twice', async () => {
    const events: unknown[] = []
    const { sdk, hub } = createTestHub({
      async message(peer: Peer) {
        void peer.join('left')
        peer.leave('left')
        void peer.join('twice')
        await peer.join('twice')
        await hub.publish('twice', 'both')
      },
    })
    const line = sdk()
    await line.hello()
    line.send(m(1))
    await settle()
    for (const frame of line.frames()) if ('s' in frame) events.push([frame.o, frame.s])
    expect(events).toEqual([
      ['left', 'left'],
      ['at', 'twice'],
      ['m', 'twice'],
    ])
  })
})
