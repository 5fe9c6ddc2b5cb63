import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type Answer, ask, post, request } from './wire.ts'

const subject = startSubject()
const note = (body: string | Buffer): Promise<Answer> => ask(subject.port, post('/api/notes', body))
const echo = (body: string | Buffer): Promise<Answer> => ask(subject.port, post('/agent/echo', body))
const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('an answer', () => {
  it('is JSON and says so, without a charset', async () => {
    const answer = await note('{"title":"Tea"}')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
  })

  it.each(['é', 'e\u0301', '🍵👩‍👩‍👧', 'ﬁ', '\u202Eabc', '\u2028\u2029', '\\u0001', 'İ', '\uFEFF'])(
    'gives a text back byte by byte: %j',
    async (text) => {
      const body = `{"text":${text.startsWith('\\') ? `"${text}"` : JSON.stringify(text)}}`
      const answer = await echo(body)
      expect([answer.status, answer.body]).toEqual([200, body])
    },
  )

  it.each(['1.0', '1e2', '-0', '0.1', '9007199254740991', '-9007199254740991', '1E-7'])(
    'takes the number %s',
    async (text) => {
      const answer = await echo(`{"n":${text}}`)
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, JSON.parse(JSON.stringify({ n: Number(text) }))])
    },
  )
})

describe('an integer', () => {
  it.each(['1.0', '1e2', '9007199254740991'])('may be written %s', async (text) => {
    const answer = await note(`{"title":"Tea","stars":${text}}`)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { stars: Number(text) }])
  })

  it.each([
    ['9007199254740992', 'TOO_LARGE'],
    ['1e400', 'TOO_LARGE'],
    ['1.5', 'INVALID_TYPE'],
    ['-1', 'TOO_SMALL'],
    ['"1"', 'INVALID_TYPE'],
  ])('is not %s', async (text, code) => {
    const { details } = expectFailure(await note(`{"title":"Tea","stars":${text}}`), 400, 'INVALID_REQUEST')
    expect(details).toContainEqual(expect.objectContaining({ code, source: 'body', pointer: '/stars' }))
  })
})

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"title"'],
    ['spaces only', ' \t\r\n'],
    ['two values', '{"title":"a"}{"title":"b"}'],
    ['a trailing comma', '{"title":"a",}'],
    ['a comment', '{"title":"a"} // so'],
    ['single quotes', "{'title':'a'}"],
    ['NaN', '{"title":"a","stars":NaN}'],
    ['a line break in a text', '{"title":"a\nb"}'],
    ['a leading zero', '{"title":"a","stars":01}'],
    ['an unfinished text', '{"title":"a'],
    ['a bad escape', '{"title":"\\x41"}'],
    ['a form', 'title=a'],
  ])('that is %s is refused', async (_what, body) => {
    const { details } = expectFailure(await note(body), 400, 'INVALID_REQUEST')
    expect(details.length).toBeGreaterThan(0)
    expect(details.every(({ source }) => source === 'body')).toBe(true)
  })

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF{"title":"a"}')],
    ['UTF-16', Buffer.from('{"title":"a"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"title":"caf\xE9"}', 'latin1')],
    ['an overlong slash', Buffer.from('7b227469746c65223a22c0af227d', 'hex')],
    ['a surrogate in UTF-8', Buffer.from('7b227469746c65223a22eda080227d', 'hex')],
    ['half a character', Buffer.from('7b227469746c65223a22e282227d', 'hex')],
  ])('with %s is refused', async (_what, body) => {
    expectFailure(await note(body), 400, 'INVALID_REQUEST')
    expectFailure(await echo(body), 400, 'INVALID_REQUEST')
  })

  it.each([
    ['an unpaired high surrogate', '{"title":"\\ud83d"}', '/title'],
    ['an unpaired low surrogate', '{"title":"\\udf75a"}', '/title'],
    ['surrogates the wrong way round', '{"title":"\\udf75\\ud83c"}', '/title'],
    ['U+0000', '{"title":"a\\u0000"}', '/title'],
    ['U+0000 deep inside', '{"tags":["a",{"b":"\\u0000"}]}', '/tags/1/b'],
    ['a surrogate in a name', '{"\\ud800":1}', undefined],
    ['U+0000 in a name', '{"a\\u0000":1}', undefined],
  ])('with %s is refused everywhere', async (_what, body, pointer) => {
    for (const answer of [await note(body), await echo(body)]) {
      const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'INVALID_UNICODE', source: 'body', ...(pointer && { pointer }) }])
    }
  })

  it('may have escaped pairs of surrogates, and escapes of escapes', async () => {
    expect(JSON.parse((await echo('{"a":"\\ud83c\\udf75","b":"\\\\u0000"}')).body)).toEqual({ a: '🍵', b: '\\u0000' })
  })

  it.each([
    ['twice', '{"title":"a","title":"b"}'],
    ['twice with the same value', '{"title":"a","title":"a"}'],
    ['once escaped', '{"title":"a","\\u0074itle":"b"}'],
    ['deep inside', '{"title":"a","tags":[{"x":1,"x":2}]}'],
    ['beside colons in texts', '{"title":"a:b","title":":"}'],
  ])('that names a member %s is refused everywhere', async (_what, body) => {
    for (const answer of [await note(body), await echo(body)]) {
      const { details } = expectFailure(answer, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'DUPLICATE_FIELD', source: 'body' }])
    }
  })

  it.each(['nope', '__proto__', 'constructor', 'Title', ''])(
    'with a member nobody knows is refused: %j',
    async (name) => {
      const { details } = expectFailure(
        await note(`{"title":"a",${JSON.stringify(name)}:{"x":1}}`),
        400,
        'INVALID_REQUEST',
      )
      expect(details).toMatchObject([{ code: 'UNKNOWN_FIELD', source: 'body', pointer: `/${name}` }])
    },
  )

  it.each([
    ['lists', nest(32), nest(33)],
    ['objects', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`, `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`],
  ])('may nest 32 levels of %s, and no more', async (_what, allowed, refused) => {
    expect((await echo(allowed)).status).toBe(200)
    expectFailure(await echo(refused), 400, 'INVALID_REQUEST')
  })

  it('may nest so deep that a stack would overflow, and is refused calmly', async () => {
    expectFailure(await echo('['.repeat(500_000)), 400, 'INVALID_REQUEST')
    expectFailure(await echo(nest(500_000)), 400, 'INVALID_REQUEST')
    expectFailure(await echo('{"a":'.repeat(150_000)), 400, 'INVALID_REQUEST')
  })

  it('may have 1 MiB, and not a byte more', async () => {
    const sized = (size: number): string => `"${'x'.repeat(size - 2)}"`
    expect((await echo(sized(1_048_576))).status).toBe(200)
    const refused = await ask(
      subject.port,
      request('POST /agent/echo', {
        body: sized(1_048_577),
        keepAlive: true,
        headers: { 'Content-Type': 'application/json' },
      }),
    )
    expectFailure(refused, 413, 'CONTENT_TOO_LARGE')
    expect(refused.headers['connection']).toBe('close')
  })

  it('is refused by what it says of its length, before it is sent', async () => {
    const head = request('POST /agent/echo', {
      keepAlive: true,
      headers: { 'Content-Type': 'application/json', 'Content-Length': '99999999' },
    })
    expectFailure(await ask(subject.port, head), 413, 'CONTENT_TOO_LARGE')
  })

  it('is counted where it says no length', async () => {
    const head = request('POST /agent/echo', {
      keepAlive: true,
      headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
    })
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)
    const answer = await ask(subject.port, Buffer.concat([head, ...Array.from({ length: 17 }, () => chunk)]))
    expectFailure(answer, 413, 'CONTENT_TOO_LARGE')
  })
})
