import type { Peer } from '../define/peer.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, settle, silent } from './hub.test.fixture.ts'
import type { SocketLimits } from './limits.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('a client that reconnects to another process', () => {
  it('receives the missed messages there, and its numbers continue', async () => {
    const { here, there } = openTwo(echo)
    const first = here.sdk('ada')
    const { sid } = await first.hello()
    first.send(m(1, 'a'), m(2, 'b'), m(3, 'c'))
    await first.connection.onClose()
    const second = there.sdk('ada')
    expect(await second.hello({ sid, rx: 1 })).toMatchObject({ res: true, ack: 3 })
    second.send(m(4, 'd'))
    await settle()
    expect(of(second, 'm').map(({ i, d }) => [i, d])).toEqual([
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ])
    expect(of(second, 'gap')).toEqual([])
  })

  it('replaces its connection to the first process, whose close handler runs', async () => {
    const events: string[] = []
    const { here, there } = openTwo({ ...echo, close: (peer: Peer) => void events.push(`left ${peer.id}`) })
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    const second = there.sdk()
    await second.hello({ sid, rx: 0 })
    expect(messages(second)).toEqual(['a'])
    // Not a permanent close: the client may have abandoned the new connection by now.
    expect(first.closed).toMatchObject([[1012, {}]])
    await first.connection.onClose()
    expect(events).toHaveLength(1)
  })

  it('waits for the handler that runs in the first process, whose message is not handled again', async () => {
    const handled: unknown[] = []
    let finish: () => void = () => undefined
    const { here, there } = openTwo({
      async message(peer: Peer, message: never) {
        if (message === 'slow') await new Promise<void>((resolve) => (finish = resolve))
        handled.push(message)
        peer.send(message)
      },
    })
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'slow'), m(2, 'waits'))
    const second = there.sdk()
    const greeted = second.hello({ sid })
    await settle()
    finish()
    expect(await greeted).toMatchObject({ ack: 1 })
    second.send(m(2, 'waits', 1))
    await settle()
    expect([handled, messages(second)]).toEqual([
      ['slow', 'waits'],
      ['slow', 'waits'],
    ])
  })

  it('receives messages that the first process sends later', async () => {
    const peers: Peer[] = []
    const { here, there } = openTwo({ open: (peer: Peer) => void peers.push(peer) })
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    const greeted = second.hello({ sid })
    // Messages sent during the migration are not lost either, up to the replay limit.
    for (let n = 0; n < 100 && second.texts.length === 0; n += 1) {
      peers[0]?.send(n)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await greeted
    peers[0]?.send('late')
    peers[1]?.send('here')
    await settle()
    expect(new Set(messages(second).slice(-2))).toEqual(new Set(['here', 'late']))
    expect(of(second, 'm').map(({ i }) => i)).toEqual(messages(second).map((_, index) => index + 1))
    expect(of(second, 'gap')).toEqual([])
  })

  it('receives the errors of handlers that failed while it was away', async () => {
    let fail: (error: Error) => void = () => undefined
    const { here, there } = openTwo({ message: () => new Promise<void>((_, reject) => (fail = reject)) })
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1))
    await settle()
    void first.connection.onClose()
    fail(new Error('broken'))
    const second = there.sdk()
    await second.hello({ sid })
    expect(of(second, 'e')).toMatchObject([{ i: 1 }])
  })

  it.each([
    ['more than can be transferred', { replayBytes: 1_000_000 }, 40, 10_000],
    ['more than was stored', { replayMessages: 8 }, 40, 1],
  ] satisfies [string, SocketLimits, number, number][])(
    'receives a gap frame if there was %s',
    async (_, limits, count, size) => {
      const { here, there } = openTwo(echo, limits)
      const first = here.sdk()
      const { sid } = await first.hello()
      for (let i = 1; i <= count; i += 1) first.send(m(i, 'x'.repeat(size)))
      await first.connection.onClose()
      const second = there.sdk()
      await second.hello({ sid })
      const numbers = of(second, 'm').map(({ i }) => i)
      expect(of(second, 'gap')).toEqual([{ o: 'gap', from: 0, to: (numbers[0] ?? 0) - 1 }])
      expect(numbers.at(-1)).toBe(count)
    },
  )

  it('receives a gap if the first process is dead, and the next client does not wait for it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shared = memoryEngine({ log: silent })
    const [mortal, other] = [toMortal(shared), toMortal(shared)]
    const [here, there] = [mortal, other].map(({ engine }) => createTestHub(echo, { engine })) as [Process, Process]
    const sids = await Promise.all([here.sdk().hello(), here.sdk().hello()])
    mortal.kill()
    const [one, two] = [there.sdk(), there.sdk()]
    const { held, release } = other.holdNext('ask')
    const greeted = one.hello({ sid: sids[0].sid, rx: 5 })
    await held
    release()
    await settle()
    vi.advanceTimersByTime(2_900)
    await settle()
    expect(one.texts).toEqual([])
    vi.advanceTimersByTime(200)
    await greeted
    await two.hello({ sid: sids[1].sid, rx: 5 })
    for (const line of [one, two]) expect(of(line, 'gap')).toEqual([{ o: 'gap', from: 5, to: 5 }])
  })

  it('waits for a process that is unavailable for a moment, but not for one that is gone', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shared = memoryEngine({ log: silent })
    const mortal = toMortal(shared)
    let isClaimed = true
    const names = { claim: () => undefined, isClaimed: () => Promise.resolve(isClaimed) }
    const here = createTestHub(echo, { engine: mortal.engine })
    const { sid } = await here.sdk().hello()
    mortal.kill()
    const line = createTestHub(echo, { engine: { ...shared, names } }).sdk()
    const greeted = line.hello({ sid })
    await settle()
    for (const next of [true, false, true, false]) {
      isClaimed = next
      vi.advanceTimersByTime(400)
      await settle()
      expect(line.texts).toEqual([])
    }
    vi.advanceTimersByTime(400)
    await greeted
    expect(line.texts).toHaveLength(2)
  })

  it('is migrated from a process that has responded, even if the engine reports it as gone later', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const engine = memoryEngine({ log: silent })
    const looks: ((isClaimed: boolean) => void)[] = []
    const names = { claim: () => undefined, isClaimed: () => new Promise<boolean>((resolve) => looks.push(resolve)) }
    let finish: () => void = () => undefined
    const busy: AnySocketDefinition = { message: () => new Promise<void>((resolve) => (finish = resolve)) }
    const [here, there] = [createTestHub(busy, { engine }), createTestHub(busy, { engine: { ...engine, names } })]
    const [one, two] = [here.sdk(), here.sdk()]
    const sids = [(await one.hello()).sid, (await two.hello()).sid] as const
    one.send(m(1))
    const greeted = there.sdk().hello({ sid: sids[0] })
    await settle()
    vi.advanceTimersByTime(800)
    finish()
    await greeted
    vi.advanceTimersByTime(100)
    expect(looks).toHaveLength(2)
    for (const resolve of looks) resolve(false)
    await settle()
    const later = there.sdk()
    await later.hello({ sid: sids[1] })
    expect(of(later, 'gap')).toEqual([])
  })

  it('waits for a busy process that responds to other clients', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shared = memoryEngine({ log: silent })
    const mortal = toMortal(shared)
    const [here, there] = [createTestHub(echo, { engine: mortal.engine }), createTestHub(echo, { engine: shared })]
    const [slow, fast] = [here.sdk(), here.sdk()]
    const [{ sid }, quick] = await Promise.all([slow.hello(), fast.hello()])
    slow.send(m(1, 'kept'))
    const { held, release } = mortal.holdNext('answer')
    const line = there.sdk()
    const greeted = line.hello({ sid })
    await held
    vi.advanceTimersByTime(2_500)
    await there.sdk().hello({ sid: quick.sid })
    vi.advanceTimersByTime(2_500)
    await settle()
    expect(line.texts).toEqual([])
    release()
    await greeted
    expect([messages(line), of(line, 'gap')]).toEqual([['kept'], []])
  })

  it('receives a gap immediately if the first process has discarded the session', async () => {
    const { here, there } = openTwo(echo)
    const first = here.sdk('ada')
    const { sid } = await first.hello()
    await first.connection.onClose()
    here.hub.end(['ada'])
    const second = there.sdk('ada')
    const started = performance.now()
    await second.hello({ sid, rx: 2 })
    expect(performance.now() - started).toBeLessThan(900)
    expect(of(second, 'gap')).toEqual([{ o: 'gap', from: 2, to: 2 }])
  })

  it('receives no messages of another user', async () => {
    const { here, there } = openTwo(echo)
    const ada = here.sdk('ada')
    const { sid } = await ada.hello()
    ada.send(m(1, 'for Ada'))
    const eve = there.sdk('eve')
    await eve.hello({ sid })
    expect([messages(eve), ada.closed]).toEqual([[], []])
  })
})

const echo: AnySocketDefinition = { message: (peer: Peer, message: never) => peer.send(message) }

type Process = ReturnType<typeof createTestHub>

/** Creates two processes with one engine. */
function openTwo(socket: AnySocketDefinition, limits: SocketLimits = {}) {
  const engine = memoryEngine({ log: silent })
  return { here: createTestHub(socket, { engine, limits }), there: createTestHub(socket, { engine, limits }) }
}

/** Wraps the engine of a process that can be killed, or be slow to publish. */
function toMortal(shared: Engine) {
  let isDead = false
  let wait: (data: string) => Promise<void> | undefined = () => undefined
  const engine: Engine = {
    ...shared,
    async publish(stream, data) {
      await wait(data)
      return shared.publish(stream, data)
    },
    subscribe: (stream, listener) => shared.subscribe(stream, (frame) => void (isDead || listener(frame))),
  }
  return {
    engine,
    kill: () => void (isDead = true),
    /** Holds the next message of this kind, and no other, until it is released. */
    holdNext(kind: string) {
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        wait = (data) => {
          if (!data.includes(`"o":"${kind}"`)) return undefined
          wait = () => undefined
          resolve()
          return new Promise((done) => (release = done))
        }
      })
      return { held, release: () => release() }
    },
  }
}
