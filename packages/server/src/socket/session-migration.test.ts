import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, settle, silent } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

describe('a process that ends', () => {
  it('leaves what clients who are away have not got to the one that they come to', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk('ada')
    const { sid } = await first.hello()
    first.tell(m(1, 'a'), m(2, 'b'))
    await first.connection.onClose()
    await here.hub.close()
    const eve = yonder.sdk('eve')
    await eve.hello({ sid })
    const second = there.sdk('ada')
    expect(await second.hello({ sid, rx: 1 })).toMatchObject({ res: true, ack: 2 })
    second.tell(m(3, 'c'))
    expect(of(second, 'm').map(({ i, d }) => [i, d])).toEqual([
      [2, 'b'],
      [3, 'c'],
    ])
    expect([of(second, 'gap'), messages(eve)]).toEqual([[], []])
  })

  it('lets who asks for one of them wait until it is left', async () => {
    const { engine, here, there } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.tell(m(1, 'a'))
    await first.connection.onClose()
    const { set } = engine.kv
    let write = (): void => {}
    const isHeld = new Promise<void>((held) => {
      engine.kv.set = async (...all) => {
        await new Promise<void>((resolve) => {
          write = resolve
          held()
        })
        return set(...all)
      }
    })
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

  it('leaves no session to a client that has gone on since', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.tell(m(1, 'a'))
    await first.connection.onClose()
    await here.hub.close()
    const second = there.sdk()
    const moved = await second.hello({ sid })
    second.tell(m(2, 'b'), { o: 'a', i: 2 })
    const third = yonder.sdk()
    expect(await third.hello({ sid: moved.sid, rx: 2 })).toMatchObject({ ack: 2 })
    expect([messages(third), of(third, 'gap')]).toEqual([[], []])
  })
})

describe('a client that went before it heard where it is', () => {
  it.each([
    ['still there', (): unknown => undefined],
    ['gone', (here: Process) => here.hub.close()],
  ])('finds its session from a third process, while the first one is %s', async (_, end) => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.tell(m(1, 'a'))
    const unheard = there.sdk()
    await unheard.hello({ sid })
    await end(here)
    const third = yonder.sdk()
    expect(await third.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect([messages(third), of(third, 'gap')]).toEqual([['a'], []])
    expect(unheard.closed).toMatchObject([[1012, {}]])
  })

  it('finds it also where that one had it of a process that had ended', async () => {
    const { here, there, yonder } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.tell(m(1, 'a'))
    await first.connection.onClose()
    await here.hub.close()
    await there.sdk().hello({ sid })
    const third = yonder.sdk()
    expect(await third.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect([messages(third), of(third, 'gap')]).toEqual([['a'], []])
  })

  it('finds it where it came first, with no gap', async () => {
    const { here, there } = openThree(echo)
    const first = here.sdk()
    const { sid } = await first.hello()
    first.tell(m(1, 'a'))
    const [one, other] = [there.sdk(), there.sdk()]
    await Promise.all([one.hello({ sid }), other.hello({ sid })])
    expect([messages(other), of(one, 'gap'), of(other, 'gap')]).toEqual([['a'], [], []])
    // And where it left.
    const back = here.sdk()
    await back.hello({ sid })
    expect([messages(back), of(back, 'gap')]).toEqual([['a'], []])
  })

  it('does not take it away from where its client is', async () => {
    const { here, there, yonder } = openThree(echo)
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    await second.hello({ sid })
    second.tell(m(1, 'here I am'))
    await yonder.sdk().hello({ sid })
    second.tell(m(2, 'still'))
    expect([messages(second), second.closed]).toEqual([['here I am', 'still'], []])
  })
})

describe('what a process says to a client that moved twice since', () => {
  it.each([
    ['still there', (): unknown => undefined],
    ['gone', (there: Process) => there.hub.close()],
  ])('reaches it, while the second process is %s', async (_, end) => {
    const peers: Peer[] = []
    const { here, there, yonder } = openThree({ open: (peer: Peer) => void peers.push(peer) })
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    const moved = await second.hello({ sid })
    second.tell({ o: 'p' })
    const third = yonder.sdk()
    await third.hello({ sid: moved.sid })
    await end(there)
    peers[0]?.send('late')
    await expect.poll(() => messages(third)).toEqual(['late'])
    expect(of(third, 'gap')).toEqual([])
  })
})

describe('what processes say to each other of a session', () => {
  it('does not tell the secret that it is resumed with', async () => {
    const { engine, here, there } = openThree(echo)
    const told: string[] = []
    const { publish, kv } = engine
    engine.publish = (stream, data) => {
      told.push(data)
      return publish(stream, data)
    }
    Object.assign(kv, { set: wrap(kv.set, told) })
    const { sid } = await here.sdk().hello()
    const second = there.sdk()
    await second.hello({ sid })
    await second.connection.onClose()
    await there.hub.close()
    const [secret = ''] = sid.split('.')
    expect(told.length).toBeGreaterThan(2)
    expect(told.filter((text) => text.includes(secret))).toEqual([])
  })
})

const echo: AnySocketDefinition = { message: (peer: Peer, message: never) => peer.send(message) }

type Process = ReturnType<typeof createTestHub>

/** Three processes of one engine. */
function openThree(socket: AnySocketDefinition) {
  const engine = memoryEngine({ log: silent })
  const open = (): Process => createTestHub(socket, { engine })
  return { engine, here: open(), there: open(), yonder: open() }
}

function wrap<Rest extends unknown[], T>(set: (...all: Rest) => T, told: string[]): (...all: Rest) => T {
  return (...all) => {
    told.push(all.join(' '))
    return set(...all)
  }
}
