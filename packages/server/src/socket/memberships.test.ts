import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, positionOf, settle, silent } from './hub.test.fixture.ts'

describe('a membership', () => {
  it('is limited in number and in the length of the room name', async () => {
    const { sdk } = createTestHub({ message: (peer: Peer, room: never) => peer.join(room) }, { limits: { rooms: 2 } })
    const line = sdk()
    await line.hello()
    for (const [index, room] of ['a', '', 'x'.repeat(257), 'b', 'b', 'c'].entries())
      line.send({ o: 'm', i: index + 1, d: room })
    await expect.poll(() => of(line, 'a').at(-1)).toEqual({ o: 'a', i: 6 })
    expect(of(line, 'e').map(({ i, error }) => [i, error.code])).toEqual([
      [2, 'INTERNAL_SERVER_ERROR'],
      [3, 'INTERNAL_SERVER_ERROR'],
      [6, 'TOO_MANY_REQUESTS'],
    ])
    expect(of(line, 'at').map(({ s }) => s)).toEqual(['a', 'b'])
  })

  it('is listed in the presence of the room until the client disconnects', async () => {
    const found: unknown[] = []
    const { sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby', { presence: { name: peer.auth?.session.userId } }),
      message: async (peer: Peer) => found.push(await peer.presence('lobby')),
    })
    const [ada, bob] = [sdk('ada'), sdk('bob')]
    await ada.hello()
    await bob.hello()
    ada.send({ o: 'm', i: 1, d: null })
    await settle()
    await bob.connection.onClose()
    ada.send({ o: 'm', i: 2, d: null })
    await settle()
    const names = found.map((members) => (members as { data: { name: string } }[]).map(({ data }) => data.name))
    expect(names.map((list) => list.toSorted())).toEqual([['ada', 'bob'], ['ada']])
  })

  it('is kept when the client reconnects to the same process, even if open does not join', async () => {
    const { hub, sdk } = createTestHub({ message: (peer: Peer) => peer.join('attic') })
    const first = sdk()
    const { sid } = await first.hello()
    first.send({ o: 'm', i: 1, d: null })
    await settle()
    const position = positionOf(first)
    await first.connection.onClose()
    await hub.publish('attic', 'meanwhile')
    const second = sdk()
    await second.hello({ sid, pos: { attic: position } })
    await hub.publish('attic', 'after')
    expect([messages(second), of(second, 'gap')]).toEqual([['meanwhile', 'after'], []])
  })

  it('ends when the peer leaves the room', async () => {
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby'),
      message: (peer: Peer) => peer.leave('lobby'),
    })
    const line = sdk()
    await line.hello()
    line.send({ o: 'm', i: 1, d: null })
    await hub.publish('lobby', 'not for you')
    expect([messages(line), of(line, 'left')]).toEqual([[], [{ o: 'left', s: 'lobby' }]])
  })

  it('is kept if the client moves to another process before the first one closes', async () => {
    const engine = memoryEngine({ log: silent })
    const found: unknown[] = []
    const socket = {
      open: (peer: Peer) => peer.join('lobby'),
      message: async (peer: Peer) => void found.push((await peer.presence('lobby')).map(({ id }) => id === peer.id)),
    }
    const first = createTestHub(socket, { engine }).sdk()
    const { sid } = await first.hello()
    const second = createTestHub(socket, { engine }).sdk()
    await second.hello({ sid })
    second.send(m(1))
    await settle()
    await first.connection.onClose()
    second.send(m(2))
    await settle()
    expect(found).toEqual([[true], [true]])
  })

  it('rejects presence that exceeds the size limit, without closing the connection', async () => {
    const socket = {
      message: (peer: Peer, data: { presence: unknown }) => peer.join('lobby', { presence: data.presence }),
    }
    const { sdk, hub } = createTestHub(socket, { limits: { presence: 100 } })
    const line = sdk()
    await line.hello()
    line.send(m(1, { presence: 'x'.repeat(99) }), m(2, { presence: 'fits' }), m(3, { presence: 'x'.repeat(99) }))
    await settle()
    const errors = of(line, 'e').map(({ i: number, status, error }) => [number, status, error.message])
    const message = 'presence must have at most 100 characters when serialized as JSON, got 101'
    expect([errors, line.closed]).toEqual([
      [
        [1, 413, message],
        [3, 413, message],
      ],
      [],
    ])
    expect((await hub.presence('lobby')).map(({ data }) => data)).toEqual(['fits'])
  })
})
