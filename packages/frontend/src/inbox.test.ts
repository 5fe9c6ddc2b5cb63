import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

const OK = { o: 'ok', sid: 's1', res: false, ack: 0, hb: 1, win: 1, max: 1, spread: 1 } as const

describe('createInbox', () => {
  it('takes every message of the session once', () => {
    const inbox = createInbox()
    expect([1, 2, 2, 1, 3].map((i) => inbox.take({ o: 'm', i, d: null }))).toEqual([true, true, false, false, true])
  })

  it('takes every message of a room once, and starts again with a new epoch', () => {
    const inbox = createInbox()
    const take = (e: string, i: number): boolean => inbox.take({ o: 'm', s: 'lobby', e, i, d: null })
    expect([take('e1', 5), take('e1', 5), take('e1', 4), take('e1', 6)]).toEqual([true, false, false, true])
    expect([take('e2', 1), take('e2', 1)]).toEqual([true, false])
    expect(inbox.take({ o: 'm', s: 'hall', e: 'e1', i: 1, d: null })).toBe(true)
  })

  it('tells the next connection how far it got', () => {
    const inbox = createInbox()
    expect(inbox.hello()).toEqual({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
    inbox.welcome(OK)
    inbox.take({ o: 'm', i: 17, d: null })
    inbox.take({ o: 'm', s: '__proto__', e: 'e1', i: 503, d: null })
    expect(JSON.stringify(inbox.hello())).toBe('{"o":"hi","v":1,"sid":"s1","rx":17,"pos":{"__proto__":["e1",503]}}')
    inbox.welcome({ ...OK, sid: 's2' })
    expect(inbox.hello()).toMatchObject({ sid: 's2', rx: 0 })
    expect(inbox.take({ o: 'm', i: 1, d: null })).toBe(true)
  })

  it('writes one receipt for all that came since the last', () => {
    const inbox = createInbox()
    for (const i of [1, 2, 3]) inbox.take({ o: 'm', i, d: null })
    inbox.take({ o: 'm', s: 'lobby', e: 'e1', i: 9, d: null })
    expect(inbox.receipts()).toEqual([
      { o: 'a', i: 3 },
      { o: 'a', s: 'lobby', i: 9 },
    ])
    expect(inbox.receipts()).toEqual([])
  })
})
