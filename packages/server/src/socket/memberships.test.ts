import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, placeOf, settle, silent } from './hub.test.fixture.ts'

describe('a membership', () => {
  it('is one of so many, and has a name of so many characters', async () => {
    const { sdk } = createTestHub({ message: (peer: Peer, room: never) => peer.join(room) }, { limits: { rooms: 2 } })
    const line = sdk()
    await line.hello()
    for (const [index, room] of ['a', '', 'x'.repeat(257), 'b', 'b', 'c'].entries())
      line.tell({ o: 'm', i: index + 1, d: room })
    await expect.poll(() => of(line, 'a').at(-1)).toEqual({ o: 'a', i: 6 })
    expect(of(line, 'e').map(({ i, error }) => [i, error.code])).toEqual([
      [2, 'INTERNAL_SERVER_ERROR'],
      [3, 'INTERNAL_SERVER_ERROR'],
      [6, 'TOO_MANY_REQUESTS'],
    ])
    expect(of(line, 'at').map(({ s }) => s)).toEqual(['a', 'b'])
  })

  it('knows who is there', async () => {
    const found: unknown[] = []
    const { sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby', { presence: { name: peer.auth?.session.userId } }),
      message: async (peer: Peer) => found.push(await peer.presence('lobby')),
    })
    const [ada, bob] = [sdk('ada'), sdk('bob')]
    await ada.hello()
    await bob.hello()
    ada.tell({ o: 'm', i: 1, d: null })
    await settle()
    await bob.connection.onClose()
    ada.tell({ o: 'm', i: 2, d: null })
    await settle()
    const names = found.map((members) => (members as { data: { name: string } }[]).map(({ data }) => data.name))
    expect(names.map((list) => list.toSorted())).toEqual([['ada', 'bob'], ['ada']])
  })

  it('stays joined when the client comes back to the same process, also where open does not join', async () => {
    const { hub, sdk } = createTestHub({ message: (peer: Peer) => peer.join('attic') })
    const first = sdk()
    const { sid } = await first.hello()
    first.tell({ o: 'm', i: 1, d: null })
    await settle()
    const place = placeOf(first)
    await first.connection.onClose()
    await hub.publish('attic', 'meanwhile')
    const second = sdk()
    await second.hello({ sid, pos: { attic: place } })
    await hub.publish('attic', 'after')
    expect([messages(second), of(second, 'gap')]).toEqual([['meanwhile', 'after'], []])
  })

  it('is left, and stays so', async () => {
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby'),
      message: (peer: Peer) => peer.leave('lobby'),
    })
    const line = sdk()
    await line.hello()
    line.tell({ o: 'm', i: 1, d: null })
    await hub.publish('lobby', 'not for you')
    expect([messages(line), of(line, 'left')]).toEqual([[], [{ o: 'left', s: 'lobby' }]])
  })

  it('moves with the client: a process that hears of it late takes nobody out', async () => {
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
    second.tell(m(1))
    await settle()
    await first.connection.onClose()
    second.tell(m(2))
    await settle()
    expect(found).toEqual([[true], [true]])
  })

  it('takes presence of a limited size, and refuses more without a close', async () => {
    const socket = {
      message: (peer: Peer, data: { presence: unknown }) => peer.join('lobby', { presence: data.presence }),
    }
    const { sdk, hub } = createTestHub(socket, { limits: { presence: 100 } })
    const line = sdk()
    await line.hello()
    line.tell(m(1, { presence: 'x'.repeat(99) }), m(2, { presence: 'fits' }), m(3, { presence: 'x'.repeat(99) }))
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
