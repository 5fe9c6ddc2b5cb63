import type { Peer } from '../define/peer.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestHub, EXPIRES_AT, m, messages, recorder, settle } from './hub.test.fixture.ts'

const LATER = Date.parse(EXPIRES_AT)

/** Creates sessions that can be ended, in a database that can be unavailable. */
function createUsers() {
  const state = { active: new Map<string, number>(), isAway: false, requests: [] as (readonly string[])[] }
  const getActiveSessions = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    state.requests.push(ids)
    if (state.isAway) throw new Error('no database')
    return state.active
  }
  return Object.assign(state, { getActiveSessions })
}

describe('user sessions', () => {
  afterEach(() => void vi.useRealTimers())

  it('close only their own connections with 4401 when they end', async () => {
    const { hub, sdk, raw } = createTestHub({})
    const [ada, again, other, bob, nobody] = [sdk('ada'), raw('ada'), sdk('ada/2'), raw('bob'), sdk()]
    for (const line of [ada, other, nobody]) await line.hello()
    hub.end(['ada', 'unknown'])
    expect([ada.closed, again.closed]).toEqual([[[4401, 'the session has ended']], [[4401, 'the session has ended']]])
    expect([other, bob, nobody].flatMap(({ closed }) => closed)).toEqual([])
  })

  it('cannot be resumed by connection id after they end', async () => {
    const left = vi.fn<(peer: Peer) => void>()
    const { hub, sdk } = createTestHub({ message: (peer: Peer) => peer.send('secret'), close: left })
    const [here, away] = [sdk('ada'), sdk('ada')]
    const ids = [(await here.hello()).sid, (await away.hello()).sid]
    for (const line of [here, away]) line.send(m(1))
    await settle()
    await away.connection.onClose()
    hub.end(['ada'])
    await here.connection.onClose()
    expect(left).toHaveBeenCalledTimes(2)
    for (const sid of ids) {
      const back = sdk('ada/2')
      await back.hello({ sid })
      expect(messages(back)).toEqual([])
    }
  })

  it('close connections that are not open yet when they end', async () => {
    const opened = vi.fn<(peer: Peer) => void>()
    const { hub, sdk } = createTestHub({ open: opened })
    const early = sdk('ada')
    early.send({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
    hub.end(['ada'])
    const late = sdk('ada')
    await settle()
    expect([early.closed[0]?.[0], late.closed[0]?.[0]]).toEqual([4401, 4401])
    expect(opened).not.toHaveBeenCalled()
  })

  it('leave waiting messages unhandled when they end', async () => {
    const { socket, handled } = recorder(() => settle())
    const { hub, sdk } = createTestHub(socket)
    const ada = sdk('ada')
    await ada.hello()
    ada.send(m(1), m(2), m(3))
    await new Promise(setImmediate)
    hub.end(['ada'])
    ada.send(m(4))
    await ada.connection.settled()
    expect(handled).toEqual([1])
  })

  it('do not affect the newer connection of another session when they end', async () => {
    const { socket, handled } = recorder(() => settle())
    const { hub, sdk } = createTestHub(socket)
    const old = sdk('ada')
    const { sid } = await old.hello()
    const fresh = sdk('ada/2')
    await fresh.hello({ sid })
    fresh.send(m(1), m(2))
    await new Promise(setImmediate)
    hub.end(['ada'])
    await old.connection.onClose()
    await fresh.connection.settled()
    expect([handled, fresh.closed]).toEqual([[1, 2], []])
  })

  it('are re-validated together every 30 seconds, and close their connections if they have ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const users = createUsers()
    users.active.set('ada', LATER).set('bob', LATER)
    const { raw } = createTestHub({}, { getActiveSessions: users.getActiveSessions })
    const [ada, bob] = [raw('ada'), raw('bob'), raw('ada'), raw()]
    vi.advanceTimersByTime(30_000)
    await settle()
    expect([users.requests, ada.closed, bob.closed]).toEqual([[['ada', 'bob']], [], []])
    users.active.delete('ada')
    users.isAway = true
    vi.advanceTimersByTime(30_000)
    await settle()
    expect([users.requests.length, ada.closed]).toEqual([2, []])
    users.isAway = false
    vi.advanceTimersByTime(30_000)
    await settle()
    expect([ada.closed, bob.closed]).toEqual([[[4401, 'the session has ended']], []])
  })

  it('are not re-validated while no connection is authenticated', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const users = createUsers()
    const { raw } = createTestHub({}, { getActiveSessions: users.getActiveSessions })
    raw()
    const ada = raw('ada')
    await ada.connection.onClose()
    vi.advanceTimersByTime(90_000)
    await settle()
    expect(users.requests).toEqual([])
  })

  it('are re-validated when they expire, and continue if they were renewed', async () => {
    const users = createUsers()
    users.active.set('ada', LATER + 1_000)
    const { raw } = createTestHub({}, { getActiveSessions: users.getActiveSessions })
    const lines = [raw('ada'), raw('bob')]
    const tickAt = async (now: number): Promise<void> => {
      vi.useFakeTimers({ toFake: ['Date'], now })
      for (const { connection } of lines) connection.tick(performance.now())
      await settle()
    }
    await tickAt(LATER)
    expect([users.requests, lines.map(({ closed }) => closed.length)]).toEqual([[['ada', 'bob']], [0, 1]])
    await tickAt(LATER + 999)
    expect(users.requests).toHaveLength(1)
    await tickAt(LATER + 1_000)
    expect([users.requests.length, lines[0]?.closed]).toEqual([2, [[4401, 'the session has expired']]])
  })

  it('keep their connections while they cannot be re-validated', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: LATER })
    const users = createUsers()
    users.isAway = true
    const ada = createTestHub({}, { getActiveSessions: users.getActiveSessions }).raw('ada')
    for (let tick = 0; tick < 3; tick += 1) ada.connection.tick(performance.now())
    await settle()
    expect([users.requests.length, ada.closed]).toEqual([1, []])
    users.isAway = false
    vi.advanceTimersByTime(30_000)
    await settle()
    expect(ada.closed[0]?.[0]).toBe(4401)
  })
})
