import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutbox, type Outbox } from './outbox.ts'

const ALL = Number.POSITIVE_INFINITY
const RESUMED = { res: true, ack: 0, max: 100 }
const NEW = { ...RESUMED, res: false }

function drain(outbox: Outbox, window = ALL): unknown[] {
  const frames: unknown[] = []
  for (let frame = outbox.next(window, 1); frame !== undefined; frame = outbox.next(window, 1))
    frames.push(JSON.parse(frame))
  return frames
}

describe('createOutbox', () => {
  it('numbers messages from 1 and keeps each until it is acknowledged', () => {
    const outbox = createOutbox()
    for (const json of ['"a"', '"b"', '"c"']) outbox.add({ json, bytes: 3 })
    expect(drain(outbox)).toEqual([
      { o: 'm', i: 1, d: 'a' },
      { o: 'm', i: 2, d: 'b' },
      { o: 'm', i: 3, d: 'c' },
    ])
    outbox.acknowledge(2)
    expect(outbox.size()).toBe(1)
    outbox.welcome(RESUMED)
    expect(drain(outbox)).toEqual([{ o: 'm', i: 3, d: 'c', r: 1 }])
  })

  it('counts from 1 in a new session and marks only messages that were sent before', () => {
    const outbox = createOutbox()
    outbox.add({ json: '1', bytes: 1 })
    outbox.add({ json: '2', bytes: 1 })
    drain(outbox)
    outbox.acknowledge(1)
    outbox.add({ json: '3', bytes: 1 })
    outbox.welcome(NEW)
    outbox.add({ json: '4', bytes: 1 })
    expect(drain(outbox)).toEqual([
      { o: 'm', i: 1, d: 2, r: 1 },
      { o: 'm', i: 2, d: 3 },
      { o: 'm', i: 3, d: 4 },
    ])
  })

  it('limits the number of messages and their bytes', () => {
    const outbox = createOutbox({ maxPending: 2, maxBytes: 10 })
    expect(outbox.add({ json: '"123456"', bytes: 8 })).toBe(true)
    expect(outbox.add({ json: '"1"', bytes: 3 })).toBe(false)
    expect(outbox.add({ json: '1', bytes: 1 })).toBe(true)
    expect(outbox.add({ json: '1', bytes: 1 })).toBe(false)
    drain(outbox)
    outbox.acknowledge(2)
    expect(outbox.add({ json: '"123456"', bytes: 8 })).toBe(true)
  })

  it('returns the time since when the first message of a connection is pending', () => {
    const outbox = createOutbox()
    for (const json of ['1', '2', '3']) outbox.add({ json, bytes: 1 })
    expect(outbox.waitingSince()).toBeUndefined()
    outbox.next(ALL, 100)
    outbox.next(ALL, 200)
    expect(outbox.waitingSince()).toBe(100)
    outbox.acknowledge(1)
    expect(outbox.waitingSince()).toBe(200)
    outbox.welcome(RESUMED)
    expect(outbox.waitingSince()).toBeUndefined()
    outbox.next(ALL, 300)
    expect(outbox.waitingSince()).toBe(300)
  })

  it('drops unsent messages that are too large for the server, without a gap in the numbers', () => {
    const outbox = createOutbox()
    for (const json of ['1', '2', '3', '4']) outbox.add({ json, bytes: json === '2' || json === '4' ? 101 : 100 })
    expect(outbox.welcome(NEW)).toBe(true)
    expect(drain(outbox)).toEqual([
      { o: 'm', i: 1, d: 1 },
      { o: 'm', i: 2, d: 3 },
    ])
    expect(outbox.welcome(RESUMED)).toBe(false)
  })

  it('keeps a sent message even if it is too large for the next server', () => {
    const outbox = createOutbox()
    outbox.add({ json: '1', bytes: 100 })
    drain(outbox)
    expect(outbox.welcome({ ...RESUMED, max: 50 })).toBe(false)
    expect(outbox.size()).toBe(1)
  })

  it('ignores an ack for a message that was not sent', () => {
    const outbox = createOutbox()
    outbox.add({ json: '1', bytes: 1 })
    outbox.acknowledge(99)
    expect(drain(outbox)).toEqual([{ o: 'm', i: 1, d: 1 }])
  })

  it('loses and reorders nothing across any acks and disconnects', () => {
    const step = fc.oneof(
      fc.constant('add' as const),
      fc.constant('send' as const),
      fc.constant('cut' as const),
      fc.constant('lose session' as const),
      fc.record({ acknowledge: fc.nat(12) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const outbox = createOutbox()
        const handled = new Set<number>()
        let added = 0
        let session: number[] = []
        const send = (): void => {
          for (const frame of drain(outbox, 5) as { i: number; d: number }[]) session[frame.i - 1] = frame.d
        }
        for (const action of steps) {
          if (action === 'add') outbox.add({ json: String(++added), bytes: 1 })
          else if (action === 'send') send()
          else if (action === 'cut') outbox.welcome(RESUMED)
          else if (action === 'lose session') {
            outbox.welcome(NEW)
            session = []
          } else {
            for (const message of session.slice(0, action.acknowledge)) handled.add(message)
            outbox.acknowledge(Math.min(action.acknowledge, session.length))
          }
        }
        for (let turn = 0; turn <= added; turn++) {
          send()
          for (const message of session) handled.add(message)
          outbox.acknowledge(session.length)
        }
        expect(outbox.size()).toBe(0)
        expect(handled.size).toBe(added)
        expect(session).toEqual(session.toSorted((a, b) => a - b))
      }),
    )
  })
})
