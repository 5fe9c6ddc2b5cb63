import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, placeOf, settle, silent } from './hub.test.fixture.ts'
import { createRooms } from './rooms.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

const lobby: AnySocketDefinition = { open: (peer: Peer) => peer.join('lobby') }

/** An engine whose messages and answers come over two connections: each when it is let through. */
function createSlow() {
  const engine = memoryEngine({ log: silent })
  const heard: (() => void)[] = []
  const answers: (() => void)[] = []
  const slow: Engine = {
    ...engine,
    subscribe: (stream, listener) => engine.subscribe(stream, (frame) => void heard.push(() => listener(frame))),
    async history(...asked) {
      const frames = await engine.history(...asked)
      await new Promise<void>((resolve) => answers.push(resolve))
      return frames
    },
  }
  return { engine, slow, heard, answers }
}

describe('a room', () => {
  it('is heard by all who joined, in order, with the same bytes', async () => {
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

  it('tells who joins where it stands, so that nothing is missed before the first message', async () => {
    const { hub, sdk } = createTestHub(lobby)
    const first = sdk()
    const { sid } = await first.hello()
    expect(of(first, 'at')).toMatchObject([{ s: 'lobby', i: 0 }])
    await first.connection.onClose()
    await hub.publish('lobby', 'while you were out')
    const second = sdk()
    await second.hello({ sid, pos: { lobby: placeOf(first) } })
    expect([messages(second), of(second, 'gap')]).toEqual([['while you were out'], []])
  })

  it('goes on from where the client stands, whoever was faster meanwhile', async () => {
    const { hub, sdk } = createTestHub(lobby)
    const first = sdk()
    const { sid } = await first.hello()
    for (let n = 1; n <= 3; n++) await hub.publish('lobby', n)
    const place = placeOf(first)
    await first.connection.onClose()
    for (let n = 4; n <= 350; n++) await hub.publish('lobby', n)
    const second = sdk()
    second.tell({ o: 'hi', v: 1, sid, rx: 0, pos: { lobby: place } })
    for (let n = 351; n <= 400; n++) {
      await hub.publish('lobby', n)
      if (n % 10 === 0) await settle()
    }
    await settle()
    expect(messages(second)).toEqual(Array.from({ length: 397 }, (_, index) => index + 4))
  })

  it('is heard to its end, though a message overtakes the answer that there is none', async () => {
    const { engine, slow, heard, answers } = createSlow()
    const rooms = createRooms(slow, silent)
    const taken: string[] = []
    const listener = { isSdk: false, onPosition() {}, onGap() {}, onDisconnect() {} }
    rooms.join('lobby', { ...listener, deliver: () => true })
    const place = await engine.publish('lobby', '"heard elsewhere"')
    rooms.join('lobby', { ...listener, deliver: ({ text }) => taken.push(text) > 0 }, place)
    await expect.poll(() => answers.length).toBe(1)
    await engine.publish('lobby', '"next"')
    for (const pass of heard) pass()
    answers[0]?.()
    await expect.poll(() => answers.length).toBe(2)
    answers[1]?.()
    await expect.poll(() => taken).toEqual(['"next"'])
  })

  it('sends nobody away who has joined since, though it is heard of late', async () => {
    const { engine, slow, heard, answers } = createSlow()
    const rooms = createRooms(slow, silent)
    const gone: string[] = []
    const listener = (name: string) => ({
      isSdk: false,
      deliver: () => true,
      onPosition() {},
      onGap() {},
      onDisconnect: () => void gone.push(name),
    })
    rooms.join('lobby', listener('member'))
    const dismissal = await engine.publish('lobby', '!go')
    const after = await engine.publish('lobby', '"heard elsewhere"')
    for (const place of [dismissal, after]) rooms.join('lobby', listener(`at ${place.offset}`), place)
    await expect.poll(() => answers.length).toBe(2)
    for (const pass of heard) pass()
    for (const answer of answers) answer()
    await settle()
    expect(gone).toEqual(['member'])
  })

  it('tells of a gap where its history does not reach back', async () => {
    const engine = memoryEngine({ log: silent, history: { messages: 10 } })
    const { hub, sdk } = createTestHub(lobby, { engine })
    const first = sdk()
    const { sid } = await first.hello()
    const place = placeOf(first)
    await first.connection.onClose()
    for (let n = 1; n <= 30; n++) await hub.publish('lobby', n)
    const second = sdk()
    await second.hello({ sid, pos: { lobby: place } })
    expect(of(second, 'gap')).toEqual([{ o: 'gap', s: 'lobby', from: 0, to: 30 }])
    expect(placeOf(second)[1]).toBe(30)
    await hub.publish('lobby', 31)
    expect(messages(second)).toEqual([31])
  })

  it('tells of a gap when the server is another one', async () => {
    const before = createTestHub(lobby)
    const first = before.sdk()
    const { sid } = await first.hello()
    await before.hub.publish('lobby', 1)
    const after = createTestHub(lobby)
    const second = after.sdk()
    await second.hello({ sid, pos: { lobby: placeOf(first) } })
    expect(of(second, 'gap').map(({ s }) => s)).toEqual([undefined, 'lobby'])
    await after.hub.publish('lobby', 'new')
    expect(messages(second)).toEqual(['new'])
  })

  it('that is not joined again is told as a gap too', async () => {
    const joins = ['lobby']
    const { sdk } = createTestHub({ open: (peer: Peer) => joins.map((room) => peer.join(room)) })
    const line = sdk()
    await line.hello({ pos: { lobby: ['old', 3], attic: ['old', 9] } })
    expect(of(line, 'gap').map(({ s, from, to }) => [s, from, to])).toEqual([
      ['attic', 9, 9],
      ['lobby', 3, 0],
    ])
  })

  it('waits for one that is slow, and tells it all when it can take it', async () => {
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
    expect(line.closed).toEqual([[4508, 'too slow']])
  })

  it('hears what one says in the moment of joining', async () => {
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

  it('tells of a gap where its engine lost messages for good', async () => {
    const engine = memoryEngine({ log: silent })
    let hear: Parameters<typeof engine.subscribe>[1] = () => {}
    const lossy = {
      ...engine,
      subscribe(stream: string, listener: typeof hear) {
        if (stream === 'lobby') hear = listener // a process has a stream of its own, too
        return engine.subscribe(stream, listener)
      },
    }
    const line = createTestHub(lobby, { engine: lossy }).sdk()
    await line.hello()
    const [epoch] = placeOf(line)
    hear({ stream: 'lobby', epoch, offset: 1, data: '1' })
    hear({ stream: 'lobby', epoch, offset: 5, data: '5' })
    hear({ stream: 'lobby', epoch: 'another', offset: 1, data: '6' })
    expect(messages(line)).toEqual([1, 5, 6])
    expect(of(line, 'gap').map(({ from, to }) => [from, to])).toEqual([
      [1, 4],
      [5, 0],
    ])
  })

  it('whose engine fails cannot be joined, and can when it works again', async () => {
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
    line.tell({ o: 'm', i: 1, d: null })
    await settle()
    expect(of(line, 'e')).toHaveLength(1)
    isBroken = false
    line.tell({ o: 'm', i: 2, d: null })
    await settle()
    await hub.publish('lobby', 'back')
    expect(messages(line)).toEqual(['back'])
  })

  it.each([[[]], [['meanwhile']]])(
    'that is joined while the client is away is heard from then on: %j',
    async (said) => {
      const { hub, sdk } = createTestHub({ message: (peer: Peer) => settle().then(() => peer.join('lobby')) })
      const first = sdk()
      const { sid } = await first.hello()
      first.tell(m(1))
      await first.connection.onClose()
      for (const text of said) await hub.publish('lobby', text)
      const second = sdk()
      await second.hello({ sid })
      await hub.publish('lobby', 'hello')
      expect([messages(second), of(second, 'gap')]).toEqual([[...said, 'hello'], []])
      expect(of(second, 'at')).toMatchObject([{ s: 'lobby', i: 0 }])
    },
  )

  it('is not heard for those who have gone before they were in', async () => {
    const engine = memoryEngine({ log: silent })
    let heard = 0
    const subscribe: typeof engine.subscribe = async (...args) => {
      const { from, end } = await engine.subscribe(...args)
      heard++
      return {
        from,
        end() {
          heard--
          end()
        },
      }
    }
    const open = (peer: Peer): Promise<void> => settle().then(() => peer.join(peer.id))
    const { raw } = createTestHub({ open }, { engine: { ...engine, subscribe } })
    await Promise.all(Array.from({ length: 20 }, () => raw().connection.onClose()))
    await settle()
    expect(heard).toBe(0)
  })

  it('that is left at once tells no place, and one that is joined twice at once is heard by both', async () => {
    const story: unknown[] = []
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
    line.tell(m(1))
    await settle()
    for (const frame of line.frames()) if ('s' in frame) story.push([frame.o, frame.s])
    expect(story).toEqual([
      ['left', 'left'],
      ['at', 'twice'],
      ['m', 'twice'],
    ])
  })
})
