import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { createTestHub, m, messages, of, settle } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

describe('createSocketHub', () => {
  it('runs the handlers of the next app for the clients that are there, and opens and closes nobody', async () => {
    const story: string[] = []
    const { hub, sdk, raw } = createTestHub(answering('old', story))
    const [one, two] = [sdk(), raw()]
    await one.hello()
    one.tell(m(1))
    two.connection.receive('1')
    hub.use({ sockets: new Map([['/ws/test', answering('new', story)]]) })
    one.tell(m(2))
    two.connection.receive('2')
    await settle()
    expect(messages(one)).toEqual(['old 1', 'new 2'])
    expect(two.texts).toEqual(['"old 1"', '"new 2"'])
    expect([...one.closed, ...two.closed, ...of(one, 'bye')]).toEqual([])
    expect(story).toEqual(['old open', 'old open'])
    await one.connection.onClose()
    expect(story.at(-1)).toBe('new close')
  })

  it('lets a handler finish that runs while the app is replaced, and then runs the next one', async () => {
    let finish = (): void => {}
    const slow: AnySocketDefinition = {
      message: (peer: Peer, message: never) =>
        new Promise<void>((resolve) => {
          finish = () => resolve(peer.send(`old ${String(message)}`))
        }),
    }
    const { hub, sdk } = createTestHub(slow)
    const line = sdk()
    await line.hello()
    line.tell(m(1), m(2))
    hub.use({ sockets: new Map([['/ws/test', answering('new')]]) })
    await settle()
    expect(messages(line)).toEqual([])
    finish()
    await line.connection.settled()
    expect(messages(line)).toEqual(['old 1', 'new 2'])
    expect(of(line, 'a').at(-1)).toMatchObject({ i: 2 })
  })

  it('keeps what clients who are away have not got, and their rooms', async () => {
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby'),
      message: (peer: Peer) => void setTimeout(() => peer.send('late'), 10),
    })
    const first = sdk()
    const { sid } = await first.hello()
    first.tell(m(1))
    await settle()
    await first.connection.onClose()
    hub.use({ sockets: new Map([['/ws/test', answering('new')]]) })
    await hub.publish('lobby', 'meanwhile')
    const second = sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect(of(second, 'gap')).toEqual([])
    expect(new Set(messages(second))).toEqual(new Set(['late', 'meanwhile']))
  })

  it('closes with 4404 where the next app has no such socket, also who has not said hi yet', async () => {
    const { hub, sdk, raw } = createTestHub(answering('old'))
    const lines = [sdk(), raw(), sdk()]
    await lines[0]?.hello()
    hub.use({ sockets: new Map() })
    lines[2]?.tell({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
    lines.push(raw())
    await expect.poll(() => lines.map(({ closed }) => closed[0]?.[0])).toEqual([4404, 4404, 4404, 4404])
  })

  it('serves by the next app whom the last one let in', async () => {
    const { hub, sdk } = createTestHub(answering('old'))
    const line = sdk()
    hub.use({ sockets: new Map([['/ws/test', answering('new')]]), limits: { window: 7 } })
    expect(await line.hello()).toMatchObject({ win: 7 })
    line.tell(m(1))
    expect(messages(line)).toEqual(['new 1'])
  })

  it('asks the next app who is signed in', async () => {
    const { hub, sdk } = createTestHub(answering('old'), {
      getActiveSessions: () => Promise.reject(new Error('closed')),
      limits: { signInCheck: 5 },
    })
    const line = sdk('ada')
    await line.hello()
    hub.use({ sockets: new Map([['/ws/test', answering('new')]]), getActiveSessions: () => Promise.resolve(new Map()) })
    await settle()
    expect(line.closed[0]).toEqual([4401, 'the session has ended'])
  })
})

function answering(name: string, story: string[] = []): AnySocketDefinition {
  return {
    open: () => void story.push(`${name} open`),
    message: (peer: Peer, message: never) => peer.send(`${name} ${String(message)}`),
    close: () => void story.push(`${name} close`),
  }
}
