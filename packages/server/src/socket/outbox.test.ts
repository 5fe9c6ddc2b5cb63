import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestHub, m, messages, of, settle } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import { toSharedMessage } from './outbox.ts'
import type { SessionPeer } from './peer.ts'

describe('messages to a client', () => {
  const greeter: AnySocketDefinition = { message: (peer: Peer, count: never) => repeat(count, (n) => peer.send(n)) }
  const repeat = (count: number, run: (n: number) => void): void => {
    for (let n = 1; n <= count; n++) run(n)
  }

  it('are numbered, and sent again from the position of the client', async () => {
    const { sdk } = createTestHub(greeter)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 5))
    expect(of(first, 'm').map(({ i }) => i)).toEqual([1, 2, 3, 4, 5])
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid, rx: 2 })
    expect(messages(second)).toEqual([3, 4, 5])
    expect(of(second, 'gap')).toEqual([])
  })

  it('are delivered after a reconnect if they were sent while it was away', async () => {
    let waiting: Peer | undefined
    const { sdk } = createTestHub({ open: (peer: Peer) => void (waiting ??= peer) })
    const first = sdk()
    const { sid } = await first.hello()
    waiting?.send('before')
    await first.connection.onClose()
    waiting?.send('meanwhile')
    const second = sdk()
    await second.hello({ sid, rx: 1 })
    expect(messages(second)).toEqual(['meanwhile'])
    waiting?.send('after')
    expect(messages(second)).toEqual(['meanwhile', 'after'])
  })

  it('are reported as a gap if they are no longer stored', async () => {
    const { sdk } = createTestHub(greeter, { limits: { replayMessages: 3 } })
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 10))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid, rx: 4 })
    expect(of(second, 'gap')).toEqual([{ o: 'gap', from: 4, to: 7 }])
    expect(messages(second)).toEqual([8, 9, 10])
  })

  it('are queued for a slow client, up to the replay limit', async () => {
    const line = createTestHub(greeter, { limits: { buffer: 100, replayMessages: 4 } }).sdk()
    await line.hello()
    line.buffered = 101
    line.send(m(1, 3))
    expect(messages(line)).toEqual([])
    line.send(m(2, 6))
    line.buffered = 0
    line.connection.onDrain()
    expect(of(line, 'gap')).toEqual([{ o: 'gap', from: 0, to: 5 }])
    expect(messages(line)).toEqual([3, 4, 5, 6])
  })

  it('are discarded after the client has acked them', async () => {
    const { sdk } = createTestHub(greeter)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 5), { o: 'a', i: 4 })
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid, rx: 1 })
    expect(of(second, 'gap')).toEqual([{ o: 'gap', from: 1, to: 4 }])
  })

  it('that are sent once have no number of their own, and are not sent later or again', async () => {
    const results: boolean[][] = []
    const sendOnce = (peer: Peer, d: unknown): void => {
      const message = toSharedMessage(JSON.stringify(d))
      results.push([1, 2].map(() => (peer as unknown as SessionPeer).sendOnce(message)))
    }
    const socket: AnySocketDefinition = {
      message(peer: Peer, d: never) {
        peer.send(d)
        sendOnce(peer, d)
      },
    }
    const { sdk, raw } = createTestHub(socket, { limits: { buffer: 100 } })
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 'a'))
    expect(of(first, 'm')).toEqual([
      { o: 'm', i: 1, d: 'a' },
      { o: 'm', i: 0, d: 'a' },
    ])
    first.buffered = 101
    first.send(m(2, 'b'))
    first.buffered = 0
    // The message before it waits until the buffer has drained.
    first.send(m(3, 'c'))
    first.connection.onDrain()
    first.send(m(4, 'd'))
    expect(messages(first).slice(2)).toEqual(['b', 'c', 'd', 'd'])
    expect(results).toEqual([true, false, false, true].map((isSent) => [isSent, isSent]))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid, rx: 1 })
    expect(of(second, 'm').map(({ i }) => i)).toEqual([2, 3, 4])
    const plain = raw()
    plain.connection.receive('7')
    await settle()
    expect(plain.texts).toEqual(['7', '7'])
  })

  it('are rejected with an error if they do not match the send schema', async () => {
    const socket = { send: z.object({ n: z.number() }), message: (peer: Peer, value: never) => peer.send(value) }
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1, { n: 'one' }), m(2, { n: 1, extra: true }))
    expect(of(line, 'e')).toMatchObject([{ i: 1, error: { code: 'INTERNAL_SERVER_ERROR' } }])
    expect(messages(line)).toEqual([{ n: 1 }])
  })

  it('are validated if a peer publishes them, but not if the hub does', async () => {
    const { hub, sdk } = createTestHub({
      send: z.object({ n: z.number() }),
      open: (peer: Peer) => peer.join('lobby'),
      message: (peer: Peer, value: never) => peer.publish('lobby', value),
    })
    const line = sdk()
    await line.hello()
    line.send(m(1, { n: 'one' }), m(2, { n: 1, extra: true }))
    await settle()
    expect(of(line, 'e')).toMatchObject([{ i: 1, error: { code: 'INTERNAL_SERVER_ERROR' } }])
    await hub.publish('lobby', 'of no socket')
    expect(messages(line)).toEqual([{ n: 1 }, 'of no socket'])
  })

  it('are not stored for raw clients that have disconnected', async () => {
    const { sdk, raw } = createTestHub(
      { message: (peer: Peer, ms: never) => settle().then(() => peer.send(String(ms).repeat(50))) },
      { limits: { replayTotalBytes: 1_000 } },
    )
    const gone = Array.from({ length: 40 }, raw)
    for (const { connection } of gone) {
      connection.receive('1')
      void connection.onClose()
    }
    await settle()
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 2))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid })
    expect([messages(second), of(second, 'gap')]).toEqual([['2'.repeat(50)], []])
  })

  it('are delivered even if a client claims an excessive number', async () => {
    const { sdk } = createTestHub(greeter)
    const start = { sid: `${'a'.repeat(22)}.n.${'b'.repeat(43)}`, rx: Number.MAX_SAFE_INTEGER }
    const first = sdk()
    await first.hello(start)
    first.send(m(1, 3))
    expect(messages(first)).toEqual([1, 2, 3])
    await first.connection.onClose()
    const second = sdk()
    await second.hello(start)
    expect(messages(second)).toEqual([])
  })

  it('are numbered after those that the client received elsewhere', async () => {
    const { sdk } = createTestHub(greeter)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1, 2))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid, rx: 5 })
    second.send(m(2, 1))
    expect(of(second, 'm')).toEqual([{ o: 'm', i: 6, d: 1 }])
  })
})
