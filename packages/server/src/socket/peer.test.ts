import { describe, expect, it } from 'vitest'
import { createApp, createRouter, createSocket } from '../index.ts'
import { testApp } from '../testing.ts'

describe('a peer', () => {
  it('has the store that routes have, and a log that names its socket', async () => {
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
})
