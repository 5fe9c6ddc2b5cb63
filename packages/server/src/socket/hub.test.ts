import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { createTestHub, m, messages, of, settle } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

describe('createSocketHub', () => {
  it('runs the handlers of the next app for connected clients, without open and close', async () => {
    const events: string[] = []
    const { hub, sdk, raw } = createTestHub(echoAs('old', events))
    const [one, two] = [sdk(), raw()]
    await one.hello()
    one.send(m(1))
    two.connection.receive('1')
    hub.use({ sockets: new Map([['/ws/test', echoAs('new', events)]]) })
    one.send(m(2))
    two.connection.receive('2')
    await settle()
    expect(messages(one)).toEqual(['old 1', 'new 2'])
    expect(two.texts).toEqual(['"old 1"', '"new 2"'])
    expect([...one.closed, ...two.closed, ...of(one, 'bye')]).toEqual([])
    expect(events).toEqual(['old open', 'old open'])
    await one.connection.onClose()
    expect(events.at(-1)).toBe('new close')
  })

  it('lets a running handler finish when the app is replaced, and then runs the next one', async () => {
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
    line.send(m(1), m(2))
    hub.use({ sockets: new Map([['/ws/test', echoAs('new')]]) })
    await settle()
    expect(messages(line)).toEqual([])
    finish()
    await line.connection.settled()
    expect(messages(line)).toEqual(['old 1', 'new 2'])
    expect(of(line, 'a').at(-1)).toMatchObject({ i: 2 })
  })

  it('keeps the pending messages and rooms of clients that are away', async () => {
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => peer.join('lobby'),
      message: (peer: Peer) => void setTimeout(() => peer.send('late'), 10),
    })
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1))
    await settle()
    await first.connection.onClose()
    hub.use({ sockets: new Map([['/ws/test', echoAs('new')]]) })
    await hub.publish('lobby', 'meanwhile')
    const second = sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 1 })
    expect(of(second, 'gap')).toEqual([])
    expect(new Set(messages(second))).toEqual(new Set(['late', 'meanwhile']))
  })

  it('closes with 4404 if the next app has no such socket, even before hello', async () => {
    const { hub, sdk, raw } = createTestHub(echoAs('old'))
    const lines = [sdk(), raw(), sdk()]
    await lines[0]?.hello()
    hub.use({ sockets: new Map() })
    lines[2]?.send({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
    lines.push(raw())
    await expect.poll(() => lines.map(({ closed }) => closed[0]?.[0])).toEqual([4404, 4404, 4404, 4404])
  })

  it('serves a client that the previous app accepted with the next app', async () => {
    const { hub, sdk } = createTestHub(echoAs('old'))
    const line = sdk()
    hub.use({ sockets: new Map([['/ws/test', echoAs('new')]]), limits: { window: 7 } })
    expect(await line.hello()).toMatchObject({ win: 7 })
    line.send(m(1))
    expect(messages(line)).toEqual(['new 1'])
  })

  it('validates sessions with the next app', async () => {
    const { hub, sdk } = createTestHub(echoAs('old'), {
      getActiveSessions: () => Promise.reject(new Error('closed')),
      limits: { signInCheck: 5 },
    })
    const line = sdk('ada')
    await line.hello()
    hub.use({ sockets: new Map([['/ws/test', echoAs('new')]]), getActiveSessions: () => Promise.resolve(new Map()) })
    await settle()
    expect(line.closed[0]).toEqual([4401, 'the session has ended'])
  })
})

function echoAs(name: string, events: string[] = []): AnySocketDefinition {
  return {
    open: () => void events.push(`${name} open`),
    message: (peer: Peer, message: never) => peer.send(`${name} ${String(message)}`),
    close: () => void events.push(`${name} close`),
  }
}
