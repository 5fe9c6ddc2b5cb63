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

  /** Creates a feed and records the members of the lobby on each update. */
  function open(engine = memoryEngine({ log: silent })) {
    const updates: string[][] = []
    const feed = new PresenceFeed(engine, silent)
    const end = feed.watch('lobby', (members) => updates.push(members.map(({ id }) => id)))
    return { engine, feed, updates, end }
  }

  it('reports members that join or leave in any process, as soon as it is notified', async () => {
    const here = open()
    const there = open(here.engine)
    await vi.advanceTimersByTimeAsync(200)
    await here.engine.presence.join('lobby', ada)
    here.feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(200)
    await here.engine.presence.leave('lobby', 'ada')
    there.feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(200)
    expect([here.updates, there.updates]).toEqual([
      [[], ['ada'], []],
      [[], ['ada'], []],
    ])
  })

  it('detects members that leave without a notification, like those of a killed process', async () => {
    const { engine, updates } = open()
    await engine.presence.join('lobby', ada)
    await engine.presence.join('lobby', bob)
    await vi.advanceTimersByTimeAsync(200)
    await engine.presence.leave('lobby', 'ada')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(updates).toEqual([['ada', 'bob']])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(updates).toEqual([['ada', 'bob'], ['bob']])
  })

  it('queries the engine at most ten times a second', async () => {
    const { engine, feed, updates } = open()
    const list = vi.spyOn(engine.presence, 'list')
    for (let n = 0; n < 1_000; n += 1) {
      await engine.presence.join('lobby', { id: String(n), data: '0' })
      feed.notifyChanged('lobby')
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(100)
    expect([list.mock.calls.length <= 12, updates.at(-1)?.length]).toEqual([true, 1_000])
  })

  it('reports nothing and stops its queries after it ends', async () => {
    const { engine, feed, updates, end } = open()
    await vi.advanceTimersByTimeAsync(200)
    end()
    const list = vi.spyOn(engine.presence, 'list')
    await engine.presence.join('lobby', ada)
    feed.notifyChanged('lobby')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([updates, list.mock.calls.length, vi.getTimerCount()]).toEqual([[[]], 0, 0])
  })

  it('queries rooms in batches of 100, one batch at a time', async () => {
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

  it('continues after the engine was unavailable', async () => {
    const { engine, updates } = open()
    await vi.advanceTimersByTimeAsync(200)
    vi.spyOn(engine.presence, 'list').mockRejectedValueOnce(new Error('away'))
    await engine.presence.join('lobby', ada)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(updates).toEqual([[]])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(updates).toEqual([[], ['ada']])
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

  it('reports the members of all processes to each client until it leaves', async () => {
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
    two.send({ o: 'm', i: 1, d: null })
    await expect.poll(() => messages(one).at(-1)).toEqual(['ada'])
    expect(messages(two).at(-1)).toEqual(['ada', 'bob'])
    await Promise.all([here.hub.close(), there.hub.close()])
  })

  it('reports the members again after a reconnect', async () => {
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

  it('reports the new presence of a client that joins a room again', async () => {
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
    one.send({ o: 'm', i: 1, d: 'ada, who types' })
    await expect.poll(() => messages(two).at(-1)).toEqual(['ada, who types', 'bob'])
    await expect.poll(() => messages(one).at(-1)).toEqual(['ada, who types', 'bob'])
    await hub.close()
  })

  it('reports nothing of a room that is left before join has finished', async () => {
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
    line.send({ o: 'm', i: 1, d: null })
    await expect.poll(() => messages(line)).toEqual(['second'])
    line.send({ o: 'm', i: 2, d: 'leave' })
    await settle()
    await engine.presence.join('lobby', { id: 'bob', data: '1' })
    await engine.publish('sdk presence lobby', '0')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(messages(line)).toEqual(['second'])
    await hub.close()
  })
})
