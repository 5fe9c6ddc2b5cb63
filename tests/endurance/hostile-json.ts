import fc from 'fast-check'

/** A body of valid or invalid JSON, and its route. */
export interface HostileBody {
  readonly line: string
  readonly type: string
  readonly body: Buffer
}

const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'then',
  'title',
  'stars',
  'tags',
  '',
  ' ',
  '\u2028',
]

const name = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

/** Serializes JSON; unlike `JSON.stringify`, it may repeat a member and escape invalid characters. */
const { text } = fc.letrec<{ text: string; value: string }>((tie) => ({
  text: tie('value'),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '-0', '1e999', '-1E-999', '9007199254740993', '0.1', '1e2', '""'),
    fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u0001"', '"\\/"', '"🍵"', '"\\ud83c\\udf75"'),
    fc.double().map((n) => JSON.stringify(n)),
    fc.string({ unit: 'binary', maxLength: 20 }).map((any) => JSON.stringify(any)),
    fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 5 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}))

const deep = fc
  .tuple(
    fc.integer({ min: 30, max: 5_000 }),
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"b":', '}]']),
    fc.boolean(),
  )
  .map(([depth, [open = '', close = ''], isClosed]) => open.repeat(depth) + (isClosed ? `0${close.repeat(depth)}` : ''))

const broken = fc
  .tuple(
    text,
    fc.nat({ max: 200 }),
    fc.constantFrom('', ',', '}', ']', ':', '"', '\\', '\0', '\uFEFF', '//', "'", 'NaN', '+', '.'),
  )
  .map(([whole, at, wedge]) => whole.slice(0, at) + wedge + whole.slice(at + (wedge === '' ? 1 : 0)))

const notText = fc
  .tuple(text, fc.uint8Array({ minLength: 1, maxLength: 6 }), fc.nat({ max: 60 }))
  .map(([whole, wedge, at]) => Buffer.concat([Buffer.from(whole.slice(0, at)), wedge, Buffer.from(whole.slice(at))]))

/** The values of a body. */
const body: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: text.map((whole) => Buffer.from(whole)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 6 }).map((whole) => Buffer.from(whole)) },
  { weight: 2, arbitrary: broken.map((whole) => Buffer.from(whole)) },
  { weight: 1, arbitrary: deep.map((whole) => Buffer.from(whole)) },
  { weight: 1, arbitrary: notText },
)

/** A hostile body with its request. */
export const hostileBody: fc.Arbitrary<HostileBody> = fc.record({
  line: fc.constantFrom(
    'POST /agent/echo',
    'POST /agent/echo',
    'POST /agent/strict',
    'POST /agent/stream',
    'POST /api/notes',
    'PATCH /api/notes/7',
    'POST /api/upload',
  ),
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/plain',
        'application/json; charset=utf-16',
        'a',
        'application/x-www-form-urlencoded',
      ),
    },
  ),
  body,
})
