import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterClose,
  CLOSE,
  decodeClientFrame,
  decodeServerFrame,
  encodeFrame,
  READY_STATE,
  SUBPROTOCOL,
  type ClientFrame,
  type ServerFrame,
} from './index.ts'

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const count = fc.nat()
const ordinal = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const text = fc.string({ minLength: 1 })
const optional = { requiredKeys: ['o', 'i', 'd'] as ['o', 'i', 'd'] }

const clientFrame: fc.Arbitrary<ClientFrame> = fc.oneof(
  fc.record({
    o: fc.constant('hi'),
    v: fc.constant(1),
    sid: fc.option(text),
    rx: count,
    pos: fc.dictionary(text, fc.tuple(text, count)),
  }),
  fc.record({ o: fc.constant('m'), i: ordinal, d: json, r: fc.constant(1) }, optional),
  fc.record({ o: fc.constant('a'), i: count, s: text }, { requiredKeys: ['o', 'i'] }),
  fc.constantFrom({ o: 'p' as const }, { o: 'q' as const }),
)

const error = fc.record({
  code: fc.stringMatching(/^[A-Z_]{1,20}$/).filter((code) => !code.startsWith('_')),
  message: fc.string(),
  details: fc.array(fc.record({ code: text, message: text })),
})

const serverFrame: fc.Arbitrary<ServerFrame> = fc.oneof(
  fc.record(
    {
      o: fc.constant('ok'),
      sid: text,
      res: fc.boolean(),
      ack: count,
      hb: count,
      win: count,
      max: count,
      spread: count,
      exp: count,
    },
    { requiredKeys: ['o', 'sid', 'res', 'ack', 'hb', 'win', 'max', 'spread'] },
  ),
  fc.record({ o: fc.constant('m'), i: ordinal, d: json, s: text, e: text }, optional),
  fc.record({ o: fc.constant('a'), i: count }),
  fc.record({ o: fc.constant('e'), i: count, error }),
  fc.record({ o: fc.constant('gap'), s: text, from: count, to: count }, { requiredKeys: ['o', 'from', 'to'] }),
  fc.record({ o: fc.constant('at'), s: text, e: text, i: count }),
  fc.record({ o: fc.constant('left'), s: text }),
  fc.record({ o: fc.constant('bye'), after: count, why: text }),
  fc.constantFrom({ o: 'p' as const }, { o: 'q' as const }),
)

const garbage = fc.oneof(
  fc.string(),
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify({ o: value })),
)
const hi = { o: 'hi', v: 1, sid: null, rx: 0, pos: {} }

describe('frames', () => {
  it('of a client are decoded as they were encoded', () => {
    fc.assert(
      fc.property(clientFrame, (frame) => {
        expect(decodeClientFrame(encodeFrame(frame))).toEqual(frame)
      }),
    )
  })

  it('of a server are decoded as they were encoded', () => {
    fc.assert(
      fc.property(serverFrame, (frame) => {
        expect(decodeServerFrame(encodeFrame(frame))).toEqual(frame)
      }),
    )
  })

  it('are decoded to null if they are malformed', () => {
    const isFrame = /"o":\s*"/
    fc.assert(
      fc.property(
        garbage.filter((frame) => !isFrame.test(frame)),
        (frame) => {
          expect(decodeClientFrame(frame)).toBeNull()
          expect(decodeServerFrame(frame)).toBeNull()
        },
      ),
    )
  })

  it('of a client are decoded to null if a member is missing or has the wrong type', () => {
    const wrong = fc.constantFrom(undefined, null, -1, 0.5, '', {}, [], 'x', true)
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(hi)), wrong, (name, value) => {
        fc.pre(!(name === 'sid' && (value === null || value === 'x')))
        fc.pre(!(name === 'pos' && JSON.stringify(value) === '{}'))
        expect(decodeClientFrame(JSON.stringify({ ...hi, [name]: value }))).toBeNull()
      }),
    )
  })

  it('keep unknown members, which a newer version may send', () => {
    expect(decodeServerFrame('{"o":"p","x":1}')).toEqual({ o: 'p', x: 1 })
  })
})

describe('decodeClientFrame', () => {
  it.each([
    '{"o":["m"],"i":1,"d":1}',
    '{"o":"constructor"}',
    '{"o":"__proto__"}',
    '[]',
    'null',
    '{"o":"m","i":0,"d":1}',
    '{"o":"m","i":1}',
    '{"o":"m","i":1,"d":1,"r":2}',
    '{"o":"a","i":1,"s":""}',
    '{"o":"ok"}',
    JSON.stringify({ ...hi, v: 2 }),
    JSON.stringify({ ...hi, sid: '' }),
    JSON.stringify({ ...hi, pos: { lobby: ['e'] } }),
    JSON.stringify({ ...hi, pos: { lobby: ['e', -1] } }),
    JSON.stringify({ ...hi, pos: { lobby: ['e', 1, 2] } }),
    JSON.stringify({ ...hi, pos: { lobby: [1, 1] } }),
  ])('returns null for %s', (frame) => {
    expect(decodeClientFrame(frame)).toBeNull()
  })

  it('accepts a message that is null, false, 0 or empty', () => {
    for (const d of [null, false, 0, ''])
      expect(decodeClientFrame(JSON.stringify({ o: 'm', i: 1, d }))).toEqual({ o: 'm', i: 1, d })
  })
})

describe('decodeServerFrame', () => {
  it.each(['', '{', '{}', 'null', '7', '"ok"', '[]', '[{"o":"p"}]', '{"o":1}', '{"o":null}', '{"o":["p"]}'])(
    'returns null for %s, which has no kind',
    (frame) => {
      expect(decodeServerFrame(frame)).toBeNull()
    },
  )
})

describe('encodeFrame', () => {
  it.each([undefined, () => 1, Symbol('x')])('throws if JSON cannot represent the message', (d) => {
    expect(() => encodeFrame({ o: 'm', i: 1, d })).toThrow(TypeError)
  })

  it('throws if the message is circular', () => {
    const d: Record<string, unknown> = {}
    d['self'] = d
    expect(() => encodeFrame({ o: 'm', i: 1, d })).toThrow(TypeError)
  })
})

describe('afterClose', () => {
  it.each([
    [CLOSE.unauthorized, 'refresh'],
    [CLOSE.timeout, 'retry-later'],
    [CLOSE.tooLarge, 'retry-later'],
    [CLOSE.tooMany, 'retry-later'],
    [CLOSE.finished, 'finish'],
    [CLOSE.badProtocol, 'stop'],
    [CLOSE.forbidden, 'stop'],
    [CLOSE.notFound, 'stop'],
    [CLOSE.replaced, 'stop'],
    [4499, 'stop'],
    [CLOSE.setupFailed, 'retry'],
    [CLOSE.slowConsumer, 'retry'],
    [CLOSE.normal, 'retry'],
    [CLOSE.goingAway, 'retry'],
    [CLOSE.restart, 'retry'],
    [CLOSE.unavailable, 'retry'],
    [1006, 'retry'],
    [3000, 'retry'],
  ])('returns the action after %i: %s', (code, action) => {
    expect(afterClose(code)).toBe(action)
  })
})

describe('protocol constants', () => {
  it('match WebSocket and sdk.v1', () => {
    expect(READY_STATE).toEqual({ connecting: 0, open: 1, closing: 2, closed: 3 })
    expect(SUBPROTOCOL).toBe('sdk.v1')
  })
})
