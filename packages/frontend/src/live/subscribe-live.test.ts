import type { Page } from '@sdk/protocol'
import { describe, expect, it, vi } from 'vitest'
import { settle } from '../fake-clock.test.fixture.ts'
import { page, pagination, setUp } from './subscribe-live.test.fixture.ts'
import { subscribeLive } from './subscribe-live.ts'

/** Returns the target of the page's events. */
function stubEvents(): EventTarget {
  const target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  return target
}

describe('subscribeLive', () => {
  it('sends the query as in a URL, and applies changes in order', async () => {
    const { subscribe, welcome, requests, deliver, onData, onLive } = setUp()
    subscribe({ done: false, sort: '-priority', fields: ['id', 'title'], none: undefined, at: new Date(0) })
    await welcome()
    const query = { done: 'false', sort: '-priority', fields: 'id,title', at: '1970-01-01T00:00:00.000Z' }
    expect(requests()).toEqual([{ sub: expect.any(Number), route: 'GET /api/v1/tasks', query }])
    expect(onLive).not.toHaveBeenCalled()
    const [{ sub }] = requests() as [{ sub: number }]
    deliver({ list: 'g1', v: 3, cut: [1], put: [], tag: 'early' })
    deliver({ sub, list: 'g1', v: 4, all: page(1, 2, 3), tag: 't4' })
    expect(onLive.mock.lastCall).toEqual([true])
    const [first] = onData.mock.lastCall as [Page<{ id: number }>]
    // A moved item is in both lists.
    deliver({
      list: 'g1',
      v: 5,
      cut: [1, 3],
      put: [
        [0, { id: 3 }],
        [2, { id: 4 }],
      ],
      tag: 't5',
    })
    const [second] = onData.mock.lastCall as [Page<{ id: number }>]
    expect(second).toEqual(page(3, 2, 4))
    expect(second.data[1]).toBe(first.data[1])
    expect(first).toEqual(page(1, 2, 3))
    deliver({ list: 'g1', v: 6, cut: [], put: [], page: { ...pagination, hasMore: true }, tag: 't6' })
    expect(onData.mock.lastCall).toEqual([{ ...page(3, 2, 4), pagination: { ...pagination, hasMore: true } }])
    deliver({ list: 'g2', v: 7, cut: [2], put: [], tag: 't7' })
    expect(onData).toHaveBeenCalledTimes(3)
    deliver({ sub, list: 'g1', v: 7, all: page(9), tag: 't7' })
    expect(onData.mock.lastCall).toEqual([page(9)])
  })

  it('subscribes again after a missing version, and ignores a repeated one', async () => {
    const { subscribe, welcome, requests, deliver, onData, onLive } = setUp()
    subscribe()
    await welcome()
    const [{ sub }] = requests() as [{ sub: number }]
    deliver({ sub, list: 'g1', v: 4, all: page(1, 2), tag: 't4' })
    deliver({ list: 'g1', v: 4, cut: [1], put: [], tag: 't4' })
    expect(onData).toHaveBeenCalledTimes(1)
    deliver({ list: 'g1', v: 6, cut: [1], put: [], tag: 't6' })
    expect(onData).toHaveBeenCalledTimes(1)
    expect(requests().slice(1)).toEqual([
      { end: sub },
      { sub: sub + 1, route: 'GET /api/v1/tasks', query: {}, has: 't4' },
    ])
    deliver({ list: 'g1', v: 7, cut: [2], put: [], tag: 't7' })
    deliver({ sub: sub + 1, list: 'g1', v: 7, all: page(1), tag: 't7' })
    expect(onData.mock.lastCall).toEqual([page(1)])
    expect(onLive.mock.calls).toEqual([[true]])
  })

  it('subscribes again with the tag of its data after a reconnect', async () => {
    const { subscribe, welcome, requests, deliver, onData, onLive, fake } = setUp()
    subscribe()
    await welcome()
    const [{ sub }] = requests() as [{ sub: number }]
    deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    deliver({ list: 'g1', v: 5, cut: [], put: [[1, { id: 2 }]], tag: 't5' })
    fake.last().hangUp(1006)
    expect(onLive.mock.lastCall).toEqual([false])
    await welcome()
    const again = requests().at(-1) as { sub: number }
    expect(again).toMatchObject({ has: 't5' })
    expect(again.sub).not.toBe(sub)
    expect(onLive.mock.lastCall).toEqual([false])
    deliver({ sub: again.sub, list: 'g1', v: 1, same: true })
    expect([onLive.mock.lastCall, onData.mock.lastCall]).toEqual([[true], [page(1, 2)]])
    deliver({ list: 'g1', v: 2, cut: [1], put: [], tag: 't' })
    expect(onData.mock.lastCall).toEqual([page(2)])
  })

  it('subscribes on the next server before the connection to the old one closes', async () => {
    const { subscribe, welcome, requests, deliver, onLive, fake, clock } = setUp()
    subscribe()
    await welcome()
    const [{ sub }] = requests() as [{ sub: number }]
    deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    fake.last().deliver({ o: 'a', i: 1 })
    fake.last().deliver({ o: 'bye', after: 10, why: 'restart' })
    await clock.advance(10)
    expect(fake.sockets).toHaveLength(2)
    await welcome()
    expect(requests()).toEqual([{ sub: sub + 1, route: 'GET /api/v1/tasks', query: {}, has: 't4' }])
    deliver({ sub: sub + 1, list: 'g1', v: 1, same: true })
    expect(onLive.mock.calls).toEqual([[true]])
  })

  describe('with requests that wait', () => {
    function setUpFlush() {
      const world = setUp()
      const flushes: (() => void)[] = []
      const flush = (): Promise<void> => new Promise((resolve) => flushes.push(resolve))
      Object.assign(world.client, { flush })
      return { ...world, flushes }
    }

    it('subscribes after them, also if it was called in the meantime', async () => {
      const { subscribe, welcome, requests, flushes } = setUpFlush()
      subscribe()
      await welcome()
      subscribe({ done: true })
      await settle()
      expect(requests()).toEqual([])
      flushes[0]?.()
      await settle()
      expect(requests()).toMatchObject([{ query: {} }, { query: { done: 'true' } }])
    })

    it('subscribes on the newest connection', async () => {
      const { subscribe, welcome, requests, flushes, fake } = setUpFlush()
      subscribe()
      await welcome()
      fake.last().hangUp(1006)
      flushes[0]?.()
      await welcome()
      await settle()
      expect(requests()).toEqual([])
      flushes[1]?.()
      await settle()
      expect(requests()).toHaveLength(1)
    })

    it('subscribes after 10 seconds if they take longer', async () => {
      const { subscribe, welcome, requests, clock } = setUpFlush()
      subscribe()
      await welcome()
      await clock.advance(9_999)
      expect(requests()).toEqual([])
      await clock.advance(1)
      expect(requests()).toHaveLength(1)
    })

    it('replaces its subscription if the page was offline and the connection survived', async () => {
      const target = stubEvents()
      const { subscribe, welcome, deliver, requests, flushes, onData, onLive } = setUpFlush()
      subscribe()
      await welcome()
      flushes[0]?.()
      await settle()
      const [{ sub }] = requests() as [{ sub: number }]
      deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
      target.dispatchEvent(new Event('offline'))
      target.dispatchEvent(new Event('online'))
      deliver({ list: 'g1', v: 5, cut: [], put: [[1, { id: 2 }]], tag: 't5' })
      expect([onLive.mock.lastCall, onData.mock.calls]).toEqual([[false], [[page(1)]]])
      expect(requests().slice(1)).toEqual([{ end: sub }])
      flushes[1]?.()
      await settle()
      expect(requests().slice(2)).toMatchObject([{ sub: sub + 1, has: 't4' }])
      deliver({ sub: sub + 1, list: 'g1', v: 6, all: page(1, 2, 3), tag: 't6' })
      expect([onLive.mock.lastCall, onData.mock.lastCall]).toEqual([[true], [page(1, 2, 3)]])
    })
  })

  it('keeps its subscription if the page was offline and the connection survived', async () => {
    const { client, fake, welcome, deliver, onData, onError, onLive, requests } = setUp()
    const target = stubEvents()
    subscribeLive(client, { route: 'GET /a' }, { onData, onError, onLive })
    await welcome()
    const [{ sub }] = requests() as [{ sub: number }]
    deliver({ sub, list: 'g1', v: 4, all: 1, tag: 't4' })
    target.dispatchEvent(new Event('offline'))
    target.dispatchEvent(new Event('online'))
    vi.unstubAllGlobals()
    fake.last().deliver({ o: 'q' })
    expect(onLive.mock.lastCall).toEqual([true])
    expect(requests()).toHaveLength(1)
  })

  it('reports an error, and ends all subscriptions if the socket is refused or the user changes', async () => {
    const { subscribe, welcome, requests, deliver, onError, onLive, auth, fake } = setUp()
    subscribe()
    const other = subscribe({ limit: 5 })
    await welcome()
    const [one, two] = requests() as [{ sub: number }, { sub: number }]
    const error = { code: 'FORBIDDEN', message: 'not yours', details: [] }
    deliver({ sub: two.sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    deliver({ sub: one.sub, error, status: 403 })
    expect(onError.mock.lastCall).toEqual([expect.objectContaining({ code: 'FORBIDDEN', status: 403 })])
    const synced = other.sync()
    auth.become('bob')
    expect(onError.mock.lastCall).toEqual([expect.objectContaining({ code: 'UNAUTHORIZED' })])
    expect(onLive.mock.lastCall).toEqual([false])
    await synced
    subscribe()
    await welcome()
    expect(fake.last().protocols).toEqual(['sdk.v1', 'sdk.token.token-of-bob'])
    expect(requests()).toHaveLength(1)
    fake.last().hangUp(4404)
    expect(onError.mock.lastCall).toEqual([expect.objectContaining({ status: 404 })])
  })

  it.each([
    { status: 503, after: 1000 },
    { status: 429, after: 10_000 },
  ])('keeps the data and subscribes again $after ms after a $status', async ({ status, after }) => {
    const { subscribe, welcome, requests, deliver, onError, onLive, clock, fake } = setUp()
    const subscription = subscribe()
    await welcome()
    const [{ sub }] = requests() as [{ sub: number }]
    const error = { code: 'ANY', message: 'try again later', details: [] }
    deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    deliver({ sub, error, status })
    fake.last().deliver({ o: 'a', i: 1 })
    expect(onLive.mock.lastCall).toEqual([false])
    await clock.advance(after - 1)
    expect(requests()).toHaveLength(1)
    await clock.advance(after)
    expect(requests().at(-1)).toMatchObject({ sub: sub + 1, has: 't4' })
    deliver({ sub: sub + 1, error, status })
    subscription.end()
    fake.last().deliver({ o: 'a', i: 3 })
    const count = requests().length
    await clock.advance(2 * after)
    expect(requests()).toHaveLength(count)
    expect(onError).not.toHaveBeenCalled()
  })

  it('ends a subscription that the server confirms too late', async () => {
    const { subscribe, welcome, requests, deliver, onData } = setUp()
    const keep = subscribe()
    const other = subscribe({ limit: 1 })
    await welcome()
    const [, { sub }] = requests() as [unknown, { sub: number }]
    other.end()
    other.end()
    expect(requests().slice(2)).toEqual([{ end: sub }])
    deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    expect(requests().slice(3)).toEqual([{ end: sub }])
    expect(onData).not.toHaveBeenCalled()
    keep.end()
  })

  it('closes the connection soon after the last subscription, and reuses it before', async () => {
    const { subscribe, welcome, requests, clock, fake } = setUp()
    subscribe().end()
    const two = subscribe()
    await welcome()
    expect(requests()).toHaveLength(1)
    two.end()
    await clock.advance(500)
    const three = subscribe()
    expect(requests()).toHaveLength(3)
    three.end()
    await clock.advance(1000)
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([true])
  })

  it('sends one sync at a time for a subscription, and repeats it after a reconnect', async () => {
    const { subscribe, welcome, requests, deliver, fake } = setUp()
    const subscription = subscribe()
    await welcome()
    const done: number[] = []
    const sync = (name: number): void => void subscription.sync().then(() => done.push(name))
    sync(1)
    const [{ sub }] = requests() as [{ sub: number }]
    expect(requests()).toHaveLength(1)
    deliver({ sub, list: 'g1', v: 4, all: page(1), tag: 't4' })
    sync(2)
    sync(3)
    expect(requests().slice(1)).toEqual([{ sync: [sub] }])
    deliver({ synced: [sub], v: 4 })
    await settle()
    expect(done).toEqual([1])
    expect(requests().slice(2)).toEqual([{ sync: [sub] }])
    fake.last().hangUp(1006)
    await welcome()
    const again = requests().findLast((request) => 'sub' in (request as object)) as { sub: number }
    deliver({ sub: again.sub, list: 'g1', v: 1, same: true })
    expect(requests().at(-1)).toEqual({ sync: [again.sub] })
    deliver({ synced: [again.sub], v: 1 })
    await settle()
    expect(done).toEqual([1, 2, 3])
    subscription.end()
    await subscription.sync()
  })
})
