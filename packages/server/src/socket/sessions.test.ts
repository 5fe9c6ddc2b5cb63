import { describe, expect, it, vi } from 'vitest'
import { createTestHub, m, messages, settle } from './hub.test.fixture.ts'
import type { Peer } from './peer.ts'

describe('sessions', () => {
  it('are not for another user', async () => {
    const { sdk } = createTestHub({ message: (peer: Peer) => peer.send('for Ada') })
    const ada = sdk('ada')
    const { sid } = await ada.hello()
    ada.tell(m(1))
    await ada.connection.ended()
    const eve = sdk('eve')
    const ok = await eve.hello({ sid })
    expect(ok).toMatchObject({ res: false, ack: 0 })
    expect(ok.sid.split('.')[0]).not.toBe(sid.split('.')[0])
    expect(messages(eve)).toEqual([])
  })

  it('have one connection: a newer one replaces it', async () => {
    const left = vi.fn<(peer: Peer) => void>()
    const { sdk } = createTestHub({ message: (peer: Peer, text: never) => peer.send(text), close: left })
    const first = sdk()
    const { sid } = await first.hello()
    const second = sdk()
    await second.hello({ sid })
    expect(first.closed).toMatchObject([[4409, {}]])
    await first.connection.ended()
    expect(left).toHaveBeenCalledTimes(1)
    second.tell(m(1, 'here'))
    expect(messages(second)).toEqual(['here'])
  })

  it('keep the peer and its data, and run open and close for each connection', async () => {
    const story: string[] = []
    const { sdk } = createTestHub({
      open: (peer: Peer) => void story.push(`open ${String((peer.data = Number(peer.data ?? 0) + 1))}`),
      close: (peer: Peer) => void story.push(`close ${String(peer.data)}`),
      message: () => {},
    })
    const first = sdk()
    const { sid } = await first.hello()
    first.tell(m(1))
    await first.connection.ended()
    const second = sdk()
    await second.hello({ sid })
    await second.connection.ended()
    expect(story).toEqual(['open 1', 'close 1', 'open 2', 'close 2'])
  })

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(22)}.n.${'b'.repeat(43)}x`])('begin anew with %j', async (sid) => {
    const line = createTestHub({}).sdk()
    line.tell({ o: 'hi', v: 1, sid, rx: 0, pos: {} })
    await settle()
    expect(line.frames()[0]?.o === 'ok' ? line.frames()[0] : line.closed).toMatchObject(
      sid === '' ? [[4400, {}]] : { res: false },
    )
  })
})
