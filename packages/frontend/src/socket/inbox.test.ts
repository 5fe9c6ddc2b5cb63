import type { ClientFrame } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../fake-clock.test.fixture.ts'
import { createInbox } from './inbox.ts'

const OK = { o: 'ok', sid: 's1', res: false, ack: 0, hb: 1, win: 1, max: 1, spread: 1 } as const

describe('createInbox', () => {
  it('accepts every message of the session once', () => {
    const inbox = createInbox(() => {}, { clock: createFakeClock() })
    expect([1, 2, 2, 1, 3].map((i) => inbox.take({ o: 'm', i, d: null }))).toEqual([true, true, false, false, true])
  })

  it('accepts every message with the number 0, without a receipt', async () => {
    const sent: ClientFrame[] = []
    const clock = createFakeClock()
    const inbox = createInbox((frame) => sent.push(frame), { clock })
    expect([0, 0].map((i) => inbox.take({ o: 'm', i, d: null }))).toEqual([true, true])
    await clock.advance(1000)
    expect(sent).toEqual([])
    expect([1, 0, 1].map((i) => inbox.take({ o: 'm', i, d: null }))).toEqual([true, true, false])
    expect(inbox.hello()).toMatchObject({ rx: 1 })
  })

  it('accepts every message of a room once and starts again with a new epoch', () => {
    const inbox = createInbox(() => {}, { clock: createFakeClock() })
    const take = (e: string, i: number): boolean => inbox.take({ o: 'm', s: 'lobby', e, i, d: null })
    expect([take('e1', 5), take('e1', 5), take('e1', 4), take('e1', 6)]).toEqual([true, false, false, true])
    expect([take('e2', 1), take('e2', 1)]).toEqual([true, false])
    expect(inbox.take({ o: 'm', s: 'hall', e: 'e1', i: 1, d: null })).toBe(true)
  })

  it('includes its positions in the hello frame', () => {
    const inbox = createInbox(() => {}, { clock: createFakeClock() })
    expect(inbox.hello()).toEqual({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
    inbox.welcome(OK)
    inbox.take({ o: 'm', i: 17, d: null })
    inbox.take({ o: 'm', s: '__proto__', e: 'e1', i: 503, d: null })
    expect(JSON.stringify(inbox.hello())).toBe('{"o":"hi","v":1,"sid":"s1","rx":17,"pos":{"__proto__":["e1",503]}}')
    inbox.welcome({ ...OK, sid: 's2' })
    expect(inbox.hello()).toMatchObject({ sid: 's2', rx: 0 })
    expect(inbox.take({ o: 'm', i: 1, d: null })).toBe(true)
  })

  it('moves to the position that it receives and removes a room that it left', () => {
    const inbox = createInbox(() => {}, { clock: createFakeClock() })
    const take = (i: number): boolean => inbox.take({ o: 'm', s: 'lobby', e: 'e1', i, d: null })
    inbox.seek({ o: 'at', s: 'lobby', e: 'e1', i: 503 })
    expect(inbox.hello().pos).toEqual({ lobby: ['e1', 503] })
    expect([take(503), take(504)]).toEqual([false, true])
    inbox.seek({ o: 'left', s: 'lobby' })
    expect(inbox.hello().pos).toEqual({})
  })

  it('continues after a gap and removes the position of a room with a gap', () => {
    const inbox = createInbox(() => {}, { clock: createFakeClock() })
    inbox.take({ o: 'm', i: 3, d: null })
    inbox.take({ o: 'm', s: 'lobby', e: 'e1', i: 503, d: null })
    inbox.seek({ o: 'gap', from: 3, to: 9 })
    inbox.seek({ o: 'gap', s: 'lobby', from: 503, to: 610 })
    expect(inbox.hello()).toMatchObject({ rx: 9, pos: {} })
    expect([9, 10].map((i) => inbox.take({ o: 'm', i, d: null }))).toEqual([false, true])
    inbox.seek({ o: 'at', s: 'lobby', e: 'e2', i: 610 })
    expect(inbox.hello().pos).toEqual({ lobby: ['e2', 610] })
  })

  it('sends acks for its session at most every 200 ms, and none for rooms', async () => {
    const clock = createFakeClock()
    const sent: [number, ClientFrame][] = []
    const start = clock.now()
    const inbox = createInbox((frame) => sent.push([clock.now() - start, frame]), { clock })
    for (let i = 1; i <= 50; i++) {
      inbox.take({ o: 'm', i, d: null })
      inbox.take({ o: 'm', s: 'lobby', e: 'e1', i, d: null })
      await clock.advance(10)
    }
    await clock.advance(5000)
    expect(sent).toEqual([
      [200, { o: 'a', i: 20 }],
      [400, { o: 'a', i: 40 }],
      [600, { o: 'a', i: 50 }],
    ])
    inbox.take({ o: 'm', i: 51, d: null })
    inbox.close()
    expect(clock.waiting).toBe(0)
  })
})
