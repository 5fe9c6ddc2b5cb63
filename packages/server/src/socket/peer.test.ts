import { describe, expect, it } from 'vitest'
import { createApp, createRouter, createSocket } from '../index.ts'
import { testApp } from '../testing.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

describe('a peer', () => {
  it('has the same store as routes, and a log with the path of its socket', async () => {
    const lines: unknown[] = []
    const log = { debug() {}, info: (...line: unknown[]) => void lines.push(line), warn() {}, error() {} }
    const counter = createSocket({
      async message(peer, by: number) {
        peer.log.info('counting', { by })
        peer.send(await peer.kv.increment('counters', 'clicks', { by }))
      },
    })
    const router = createRouter()
      .on('GET /api/clicks', (ctx) => ctx.kv.get<number>('counters', 'clicks'))
      .socket('/ws/counter', counter)
    const app = await testApp(createApp({ router, log }))
    const socket = await app.socket('/ws/counter')
    socket.send(2)
    socket.send(3)
    expect([await socket.next(), await socket.next()]).toEqual([2, 5])
    expect(await app.call('GET /api/clicks')).toBe(5)
    expect(lines).toContainEqual(['counting', { socket: '/ws/counter', by: 3 }])
    await app.close()
  })

  it('has the return value of open as its data, which is new after each reconnect', async () => {
    const left: unknown[] = []
    let opened = 0
    const chat = createSocket({
      open: async () => Promise.resolve({ turn: (opened += 1), said: 0 }),
      message(peer) {
        peer.data.said += 1
        peer.send(peer.data)
      },
      close: (peer) => left.push(peer.data),
    })
    const app = await testApp(createApp({ router: createRouter().socket('/ws/chat', chat) }))
    const socket = await app.socket('/ws/chat')
    socket.send('a')
    socket.send('b')
    expect([await socket.next(), await socket.next()]).toMatchObject([{ said: 1 }, { turn: 1, said: 2 }])
    await socket.drop()
    socket.send('c')
    expect(await socket.next()).toEqual({ turn: 2, said: 1 })
    expect(left).toEqual([{ turn: 1, said: 2 }])
    await app.close()
  })

  it('keeps its data if open returns nothing', async () => {
    const chat = createSocket({
      open(peer) {
        peer.data ??= 'first'
      },
      message(peer, text) {
        peer.send(peer.data)
        peer.data = text
      },
    })
    const app = await testApp(createApp({ router: createRouter().socket('/ws/chat', chat) }))
    const socket = await app.socket('/ws/chat')
    socket.send('second')
    await socket.next((data) => data === 'first')
    await socket.drop()
    socket.send('third')
    expect(await socket.next()).toBe('second')
    await app.close()
  })

  it('is listed by ctx.presence in routes', async () => {
    const chat = createSocket({ open: (peer) => peer.join('lobby', { presence: { name: peer.query['name'] } }) })
    const router = createRouter()
      .on('GET /api/online', async (ctx) =>
        (await ctx.presence<{ name: string }>('lobby')).map(({ data }) => data.name),
      )
      .on('GET /api/ids', async (ctx) => (await ctx.presence('nowhere')).map(({ id }) => id))
      .socket('/ws/chat', chat)
    const app = await testApp(createApp({ router, log: silent }))
    const [ada, bob] = [await app.socket('/ws/chat?name=Ada'), await app.socket('/ws/chat?name=Bob')]
    await expect.poll(() => app.call('GET /api/online')).toEqual(expect.arrayContaining(['Ada', 'Bob']))
    await bob.close()
    await expect.poll(() => app.call('GET /api/online')).toEqual(['Ada'])
    expect(await app.call('GET /api/ids')).toEqual([])
    await ada.close()
    await app.close()
  })
})
