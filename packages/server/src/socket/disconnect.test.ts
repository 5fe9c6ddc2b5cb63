import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createApp, createRouter, createSocket } from '../index.ts'
import { testApp } from '../testing.ts'
import { createTestHub, m, messages, positionOf, settle, type Line } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

const lobby: AnySocketDefinition = {
  open: (peer: Peer) => peer.join('lobby'),
  message: (peer: Peer, reason: string) => peer.disconnect('lobby', reason),
}

async function expectClosed(lines: readonly Line[], end: [number, string]): Promise<void> {
  await expect.poll(() => lines.map(({ closed }) => closed)).toEqual(lines.map(() => [end]))
}

describe('disconnect', () => {
  it('closes all connections in a room in every process, after earlier messages, and no others', async () => {
    const engine = memoryEngine()
    const [here, there] = [createTestHub(lobby, { engine }), createTestHub(lobby, { engine })]
    const [ada, bob, raw] = [here.sdk(), there.sdk(), there.raw()]
    const stranger = createTestHub({}, { engine }).sdk()
    for (const line of [ada, bob, stranger]) await line.hello()
    await settle()
    await here.hub.publish('lobby', '!the last word')
    ada.send(m(1, 'the game is over'))
    await expectClosed([ada, bob, raw], [4403, 'the game is over'])
    expect([messages(ada), messages(bob), raw.texts]).toEqual([
      ['!the last word'],
      ['!the last word'],
      ['"!the last word"'],
    ])
    expect(stranger.closed).toEqual([])
  })

  it('closes a client that was away when it reconnects, but not a new client', async () => {
    const { hub, sdk } = createTestHub(lobby)
    const ada = sdk()
    const { sid } = await ada.hello()
    await ada.connection.onClose()
    await hub.publish('lobby', 'before')
    await hub.disconnect('lobby')
    await hub.publish('lobby', 'after')
    const [back, anew] = [sdk(), sdk()]
    await back.hello({ sid, pos: { lobby: positionOf(ada) } })
    await expectClosed([back], [4403, 'disconnected by the server'])
    expect(messages(back)).toEqual(['before'])
    await anew.hello()
    expect([messages(anew), anew.closed]).toEqual([[], []])
  })

  it.each<[string, (position: [string, number]) => Record<string, [string, number]>]>([
    ['none', () => ({})],
    ['the next one', ([epoch, offset]) => ({ lobby: [epoch, offset + 1] })],
    ['one in the future', ([epoch, offset]) => ({ lobby: [epoch, offset + 100] })],
    ['one of another epoch', () => ({ lobby: ['x', 0] })],
    ['one that is no longer stored', ([epoch]) => ({ lobby: [epoch, 0] })],
  ])('closes a client that was away, with any claimed position: %s', async (_, claim) => {
    const { hub, sdk } = createTestHub(lobby, { engine: memoryEngine({ history: { messages: 10 } }) })
    const ada = sdk()
    const { sid } = await ada.hello()
    for (let n = 0; n < 20; n += 1) await hub.publish('lobby', n)
    await ada.connection.onClose()
    await hub.disconnect('lobby')
    const back = sdk()
    await back.hello({ sid, pos: claim(positionOf(ada)) })
    await expectClosed([back], [4403, 'disconnected by the server'])
    await hub.publish('lobby', 'behind her back')
    expect(messages(back)).toEqual([])
  })

  it('closes a slow client even if the history no longer contains the disconnect', async () => {
    const engine = memoryEngine({ history: { messages: 10 } })
    const { hub, sdk } = createTestHub(lobby, { engine })
    const ada = sdk()
    await ada.hello()
    ada.buffered = 2 ** 21
    await hub.publish('lobby', 'not taken')
    await hub.disconnect('lobby')
    for (let n = 0; n < 20; n += 1) await hub.publish('lobby', n)
    ada.buffered = 0
    ada.connection.onDrain()
    await settle()
    expect([ada.closed, messages(ada)]).toEqual([[[4403, 'disconnected by the server']], []])
  })

  it('lets open decide about rooms after a reconnect, with any claimed position', async () => {
    const members = new Set(['ada'])
    const { hub, sdk } = createTestHub({
      open: (peer: Peer) => (members.has(peer.auth?.session.userId ?? '') ? peer.join('lobby') : undefined),
    })
    const ada = sdk('ada')
    const { sid } = await ada.hello()
    const [epoch, offset] = positionOf(ada)
    members.clear()
    await hub.disconnect('lobby')
    await ada.connection.onClose()
    const back = sdk('ada')
    await back.hello({ sid, pos: { lobby: [epoch, offset + 1] } })
    await hub.publish('lobby', 'behind her back')
    expect([messages(back), back.closed]).toEqual([[], []])
  })

  it('is available in routes, with a reason', async () => {
    const chat = createSocket({ open: (peer) => peer.join(`user:${peer.query['user']}`) })
    const router = createRouter()
      .on('POST /api/kick', (ctx) => ctx.disconnect('user:bob', 'the moderator sent you out'))
      .socket('/ws/chat', chat)
    const app = await testApp(createApp({ router, log: { debug() {}, info() {}, warn() {}, error() {} } }))
    const [ada, bob] = [await app.socket('/ws/chat?user=ada'), await app.socket('/ws/chat?user=bob')]
    await app.call('POST /api/kick')
    await expect(bob.next()).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'the moderator sent you out' })
    expect(ada.closedWith).toBe(null)
    await app.close()
  })
})
