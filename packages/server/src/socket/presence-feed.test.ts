import type { Peer } from '../define/peer.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, messages, settle, silent } from './hub.test.fixture.ts'
import type { Presence } from '../engine/list-presence.ts'
import { PresenceFeed } from './presence-feed.ts'

const ada = { id: 'ada', data: '1' }
const bob = { id: 'bob', data: '2' }

describe('PresenceFeed', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A feed, and who it says is in the lobby, each time it does. */
  function open(engine = memoryEngine({ log: silent })) {
    const told: string[][] = []
    const feed = new PresenceFeed(engine, silent)
    const end = feed.watch('lobby', (members) => told.push(members.map(({ id }) => id)))
    return { engine, feed, told, end }
  }

  it('tells who is there, and who came or left in any process, as soon as it hears of it', async () => {
    const here = open()
    const there = open(here.engine)
    await vi.advanceTimersByTimeAsync(200)
    await here.engine.presence.join('lobby', ada)
    here.feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(200)
    await here.engine.presence.leave('lobby', 'ada')
    there.feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(200)
    expect([here.told, there.told]).toEqual([
      [[], ['ada'], []],
      [[], ['ada'], []],
    ])
  })

  it('finds out by itself who left without a word, as those of a process that was killed', async () => {
    const { engine, told } = open()
    await engine.presence.join('lobby', ada)
    await engine.presence.join('lobby', bob)
    await vi.advanceTimersByTimeAsync(200)
    await engine.presence.leave('lobby', 'ada')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([['ada', 'bob']])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([['ada', 'bob'], ['bob']])
  })

  it('looks at most ten times a second, however many come', async () => {
    const { engine, feed, told } = open()
    const list = vi.spyOn(engine.presence, 'list')
    for (let n = 0; n < 1_000; n += 1) {
      await engine.presence.join('lobby', { id: String(n), data: '0' })
      feed.notifyChanged('lobby')
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(100)
    expect([list.mock.calls.length <= 12, told.at(-1)?.length]).toEqual([true, 1_000])
  })

  it('says nothing after its end, and looks no more', async () => {
    const { engine, feed, told, end } = open()
    await vi.advanceTimersByTimeAsync(200)
    end()
    const list = vi.spyOn(engine.presence, 'list')
    await engine.presence.join('lobby', ada)
    feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([told, list.mock.calls.length, vi.getTimerCount()]).toEqual([[[]], 0, 0])
  })

  it('looks at many rooms a hundred at a time, and not before the last ones answered', async () => {
    const { engine, feed } = open()
    for (let n = 0; n < 299; n += 1) feed.watch(`room ${n}`, () => {})
    await vi.advanceTimersByTimeAsync(200)
    let [under, most, count] = [0, 0, 0]
    vi.spyOn(engine.presence, 'list').mockImplementation(async () => {
      count += 1
      most = Math.max(most, (under += 1))
      await new Promise((resolve) => setTimeout(resolve, 10))
      under -= 1
      return []
    })
    await vi.advanceTimersByTimeAsync(15_000)
    expect([count, most]).toEqual([300, 100])
  })

  it('goes on after an engine that was away', async () => {
    const { engine, told } = open()
    await vi.advanceTimersByTimeAsync(200)
    vi.spyOn(engine.presence, 'list').mockRejectedValueOnce(new Error('away'))
    await engine.presence.join('lobby', ada)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(told).toEqual([[]])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(told).toEqual([[], ['ada']])
  })
})

describe('peer.join with onPresence', () => {
  const socket = {
    open: (peer: Peer) =>
      peer.join('lobby', {
        presence: peer.auth?.session.userId,
        onPresence: (people: readonly Presence[]) => peer.send(people.map(({ data }) => String(data)).toSorted()),
      }),
    message: (peer: Peer) => peer.leave('lobby'),
  }

  it('tells each client who is there, in all processes, until it leaves', async () => {
    const here = createTestHub(socket)
    const there = createTestHub(socket, { engine: here.engine })
    const [one, two] = [here.sdk('ada'), there.sdk('bob')]
    await one.hello()
    await two.hello()
    await expect
      .poll(() => [messages(one).at(-1), messages(two).at(-1)])
      .toEqual([
        ['ada', 'bob'],
        ['ada', 'bob'],
      ])
    two.tell({ o: 'm', i: 1, d: null })
    await expect.poll(() => messages(one).at(-1)).toEqual(['ada'])
    expect(messages(two).at(-1)).toEqual(['ada', 'bob'])
    await Promise.all([here.hub.close(), there.hub.close()])
  })

  it('tells it anew when the client is back', async () => {
    const { hub, sdk } = createTestHub(socket)
    const first = sdk('ada')
    const { sid } = await first.hello()
    await expect.poll(() => messages(first)).toEqual([['ada']])
    await first.connection.onClose()
    const other = sdk('bob')
    await other.hello()
    await expect.poll(() => messages(other).at(-1)).toEqual(['bob'])
    const again = sdk('ada')
    await again.hello({ sid })
    await expect.poll(() => messages(again).at(-1)).toEqual(['ada', 'bob'])
    await settle()
    expect(messages(first)).toEqual([['ada']])
    await hub.close()
  })

  it('tells everybody what a client says of itself when it enters a room again', async () => {
    const onPresence = (peer: Peer) => (people: readonly Presence[]) =>
      peer.send(people.map(({ data }) => String(data)).toSorted())
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby', { presence: peer.auth?.session.userId, onPresence: onPresence(peer) }),
      message: (peer: Peer, mood: string) => peer.join('lobby', { presence: mood, onPresence: onPresence(peer) }),
    })
    const [one, two] = [sdk('ada'), sdk('bob')]
    await one.hello()
    await two.hello()
    await expect.poll(() => messages(two).at(-1)).toEqual(['ada', 'bob'])
    one.tell({ o: 'm', i: 1, d: 'ada, who types' })
    await expect.poll(() => messages(two).at(-1)).toEqual(['ada, who types', 'bob'])
    await expect.poll(() => messages(one).at(-1)).toEqual(['ada, who types', 'bob'])
    await hub.close()
  })

  it('says nothing of a room that was left while it was entered, and entered anew', async () => {
    const { hub, engine, sdk } = createTestHub({
      message: (peer: Peer, how: string) => {
        for (const name of ['first', 'second']) {
          void peer.join('lobby', { onPresence: () => peer.send(name) })
          if (name === 'first' || how === 'leave') peer.leave('lobby')
        }
      },
    })
    const line = sdk('ada')
    await line.hello()
    line.tell({ o: 'm', i: 1, d: null })
    await expect.poll(() => messages(line)).toEqual(['second'])
    line.tell({ o: 'm', i: 2, d: 'leave' })
    await settle()
    await engine.presence.join('lobby', { id: 'bob', data: '1' })
    await engine.publish('sdk presence lobby', '0')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(messages(line)).toEqual(['second'])
    await hub.close()
  })
})
