import type { Peer } from '../define/peer.ts'
import { describe, expect, it, vi } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, silent } from './hub.test.fixture.ts'

describe('sessions', () => {
  it('are not resumed by another user', async () => {
    const { sdk } = createTestHub({ message: (peer: Peer) => peer.send('for Ada') })
    const ada = sdk('ada')
    const { sid } = await ada.hello()
    ada.send(m(1))
    await ada.connection.onClose()
    const eve = sdk('eve')
    const ok = await eve.hello({ sid })
    expect(ok).toMatchObject({ res: false, ack: 0 })
    expect(ok.sid.split('.')[0]).not.toBe(sid.split('.')[0])
    expect(messages(eve)).toEqual([])
  })

  it('have one connection, which a newer one replaces', async () => {
    const left = vi.fn<(peer: Peer) => void>()
    const { sdk } = createTestHub({ message: (peer: Peer, text: never) => peer.send(text), close: left })
    const first = sdk()
    const { sid } = await first.hello()
    const second = sdk()
    await second.hello({ sid })
    expect(first.closed).toMatchObject([[4409, {}]])
    await first.connection.onClose()
    expect(left).toHaveBeenCalledTimes(1)
    second.send(m(1, 'here'))
    expect(messages(second)).toEqual(['here'])
  })

  it('keep the peer and its data, and run open and close for each connection', async () => {
    const events: string[] = []
    const { sdk } = createTestHub({
      open: (peer: Peer) => void events.push(`open ${String((peer.data = Number(peer.data ?? 0) + 1))}`),
      close: (peer: Peer) => void events.push(`close ${String(peer.data)}`),
      message: () => {},
    })
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid })
    await second.connection.onClose()
    expect(events).toEqual(['open 1', 'close 1', 'open 2', 'close 2'])
  })

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(22)}.n.${'b'.repeat(43)}x`])('are not resumed with %j', async (sid) => {
    const line = createTestHub({}).sdk()
    line.send({ o: 'hi', v: 1, sid, rx: 0, pos: {} })
    await expect
      .poll(() => line.frames()[0] ?? line.closed)
      .toMatchObject(sid === '' ? [[4400, {}]] : { o: 'ok', res: false })
  })

  it('are resumed even if no message was sent', async () => {
    const seen: unknown[] = []
    const { sdk } = createTestHub({ open: (peer: Peer) => void (seen.push(peer.data), (peer.data = 'kept')) })
    const first = sdk()
    const { sid } = await first.hello()
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid })
    expect([seen, of(second, 'gap')]).toEqual([[undefined, 'kept'], []])
  })

  it('are kept if the old connection closes while the new one is being accepted', async () => {
    const { sdk, hub } = createTestHub({})
    const first = sdk()
    const { sid } = await first.hello()
    const sign = crypto.subtle.sign.bind(crypto.subtle)
    const spy = vi.spyOn(crypto.subtle, 'sign').mockImplementation(async (...args) => {
      const signed = await sign(...args)
      if (spy.mock.calls.length === 2) await first.connection.onClose()
      return signed
    })
    const second = sdk()
    await second.hello({ sid })
    spy.mockRestore()
    await hub.close() // hands over the sessions of clients that are away
    const third = sdk()
    await third.hello({ sid })
    expect([of(third, 'gap'), second.closed[0]?.[0]]).toEqual([[], 4409])
  })

  it('continue after they return from another process', async () => {
    const engine = memoryEngine({ log: silent })
    const socket = { message: (peer: Peer, text: never) => peer.send(text) }
    const [here, there] = [createTestHub(socket, { engine }), createTestHub(socket, { engine })]
    const first = here.sdk()
    const { sid } = await first.hello()
    first.send(m(1))
    await first.connection.settled()
    const second = there.sdk()
    const moved = await second.hello({ sid, rx: 1 })
    second.send(m(2), m(3))
    await second.connection.settled()
    const third = here.sdk()
    expect(await third.hello({ sid: moved.sid, rx: 3 })).toMatchObject({ res: true, ack: 3 })
    third.send(m(4))
    expect(of(third, 'm')).toEqual([{ o: 'm', i: 4, d: 4 }])
    expect([third.closed, of(third, 'gap'), first.closed[0]?.[0]]).toEqual([[], [], 1012])
  })
})
