import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, settle, silent } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

describe('a process that shuts down', () => {
  it('hands over the pending messages of clients that are away', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk('ada')
    const { sid } = await first.hello()
    first.send(m(1, 'a'), m(2, 'b'))
    await first.connection.onClose()
    await here.hub.close()
    const eve = yonder.sdk('eve')
    await eve.hello({ sid })
    const second = there.sdk('ada')
    expect(await second.hello({ sid, rx: 1 })).toMatchObject({ res: true, ack: 2 })
    second.send(m(3, 'c'))
    expect(of(second, 'm').map(({ i, d }) => [i, d])).toEqual([
      [2, 'b'],
      [3, 'c'],
    ])
    expect([of(second, 'gap'), messages(eve)]).toEqual([[], []])
  })

  it('lets a client wait until its session is handed over', async () => {
    const { engine, here, there } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    await first.connection.onClose()
    const { set } = engine.kv
    let [write, hold] = [(): void => {}, (): void => {}]
    const isWritten = new Promise<void>((resolve) => (write = resolve))
    const isHeld = new Promise<void>((resolve) => (hold = resolve))
    engine.kv.set = async (...all) => {
      hold()
      await isWritten
      return set(...all)
    }
    const closed = here.hub.close()
    await isHeld
    const second = there.sdk()
    const greeted = second.hello({ sid })
    await settle()
    expect(second.texts).toEqual([])
    write()
    await Promise.all([closed, greeted])
    expect([messages(second), of(second, 'gap')]).toEqual([['a'], []])
  })

  it('does not hand over a session that has continued elsewhere', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    await first.connection.onClose()
    await here.hub.close()
    const second = there.sdk()
    const moved = await second.hello({ sid })
    second.send(m(2, 'b'), { o: 'a', i: 2 })
    const third = yonder.sdk()
    expect(await third.hello({ sid: moved.sid, rx: 2 })).toMatchObject({ ack: 2 })
    expect([messages(third), of(third, 'gap')]).toEqual([[], []])
  })
})

describe('a client that disconnected during a migration', () => {
  it.each([
    ['running', (): unknown => undefined],
    ['closed', (here: Process) => here.hub.close()],
  ])('finds its session from a third process while the first one is %s', async (_, end) => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    const lost = there.sdk()
    await lost.hello({ sid })
    await end(here)
    const third = yonder.sdk()
    expect(await third.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect([messages(third), of(third, 'gap')]).toEqual([['a'], []])
    expect(lost.closed).toMatchObject([[1012, {}]])
  })

  it('finds its session if it was handed over by a closed process', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    await first.connection.onClose()
    await here.hub.close()
    await there.sdk().hello({ sid })
    const third = yonder.sdk()
    expect(await third.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect([messages(third), of(third, 'gap')]).toEqual([['a'], []])
  })

  it('finds its session in both processes, without a gap', async () => {
    const { here, there } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    const [one, other] = [there.sdk(), there.sdk()]
    await Promise.all([one.hello({ sid }), other.hello({ sid })])
    expect([messages(other), of(one, 'gap'), of(other, 'gap')]).toEqual([['a'], [], []])
    // The client can also return to the first process.
    const back = here.sdk()
    await back.hello({ sid })
    expect([messages(back), of(back, 'gap')]).toEqual([['a'], []])
  })

  it('does not take the session from a process in which it is active', async () => {
    const { here, there, yonder } = openThree(echo)
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    await second.hello({ sid })
    second.send(m(1, 'here I am'))
    await yonder.sdk().hello({ sid })
    second.send(m(2, 'still'))
    expect([messages(second), second.closed]).toEqual([['here I am', 'still'], []])
  })
})

describe('a message to a client that has moved twice', () => {
  it.each([
    ['running', (): unknown => undefined],
    ['closed', (there: Process) => there.hub.close()],
  ])('is delivered while the second process is %s', async (_, end) => {
    const peers: Peer[] = []
    const { here, there, yonder } = openThree({ open: (peer: Peer) => void peers.push(peer) })
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    const moved = await second.hello({ sid })
    second.send({ o: 'p' })
    const third = yonder.sdk()
    await third.hello({ sid: moved.sid })
    await end(there)
    peers[0]?.send('late')
    await expect.poll(() => messages(third)).toEqual(['late'])
    expect(of(third, 'gap')).toEqual([])
  })
})

describe('messages between processes', () => {
  it('do not contain the secret of a session', async () => {
    const { engine, here, there } = openThree(echo)
    const published: string[] = []
    const { publish, kv } = engine
    engine.publish = (stream, data) => {
      published.push(data)
      return publish(stream, data)
    }
    Object.assign(kv, { set: wrap(kv.set, published) })
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    await second.hello({ sid })
    await second.connection.onClose()
    await there.hub.close()
    const [secret = ''] = sid.split('.')
    expect(published.length).toBeGreaterThan(2)
    expect(published.filter((text) => text.includes(secret))).toEqual([])
  })
})

const echo: AnySocketDefinition = { message: (peer: Peer, message: never) => peer.send(message) }

type Process = ReturnType<typeof createTestHub>

/** Creates three processes with one engine. */
function openThree(socket: AnySocketDefinition) {
  const engine = memoryEngine({ log: silent })
  const open = (): Process => createTestHub(socket, { engine })
  return { engine, here: open(), there: open(), yonder: open() }
}

function wrap<Rest extends unknown[], T>(set: (...all: Rest) => T, published: string[]): (...all: Rest) => T {
  return (...all) => {
    published.push(all.join(' '))
    return set(...all)
  }
}
