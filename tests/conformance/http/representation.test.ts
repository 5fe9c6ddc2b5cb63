import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type RawResponse, send, post, request } from './wire.ts'

const subject = startSubject()
const note = (body: string | Buffer): Promise<RawResponse> => send(subject.port, post('/api/notes', body))
const echo = (body: string | Buffer): Promise<RawResponse> => send(subject.port, post('/agent/echo', body))
const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('a response', () => {
  it('is JSON with a Content-Type without a charset', async () => {
    const response = await note('{"title":"Tea"}')
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json'])
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength(response.body)))
  })

  it.each(['é', 'e\u0301', '🍵👩‍👩‍👧', 'ﬁ', '\u202Eabc', '\u2028\u2029', '\\u0001', 'İ', '\uFEFF'])(
    'returns a text unchanged: %j',
    async (text) => {
      const body = `{"text":${text.startsWith('\\') ? `"${text}"` : JSON.stringify(text)}}`
      const response = await echo(body)
      expect([response.status, response.body]).toEqual([200, body])
    },
  )

  it.each(['1.0', '1e2', '-0', '0.1', '9007199254740991', '-9007199254740991', '1E-7'])(
    'returns the number %s',
    async (text) => {
      const response = await echo(`{"n":${text}}`)
      expect([response.status, JSON.parse(response.body)]).toEqual([
        200,
        JSON.parse(JSON.stringify({ n: Number(text) })),
      ])
    },
  )
})

describe('an integer', () => {
  it.each(['1.0', '1e2', '9007199254740991'])('can be written as %s', async (text) => {
    const response = await note(`{"title":"Tea","stars":${text}}`)
    expect([response.status, JSON.parse(response.body)]).toMatchObject([200, { stars: Number(text) }])
  })

  it.each([
    ['9007199254740992', 'TOO_LARGE'],
    ['1e400', 'TOO_LARGE'],
    ['1.5', 'INVALID_TYPE'],
    ['-1', 'TOO_SMALL'],
    ['"1"', 'INVALID_TYPE'],
  ])('cannot be %s', async (text, code) => {
    const { details } = expectFailure(await note(`{"title":"Tea","stars":${text}}`), 400, 'INVALID_REQUEST')
    expect(details).toContainEqual(expect.objectContaining({ code, source: 'body', pointer: '/stars' }))
  })
})

describe('a body', () => {
  it.each([
    ['empty', ''],
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
  ])('is rejected: %s', async (_name, body) => {
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
    ['a truncated character', Buffer.from('7b227469746c65223a22e282227d', 'hex')],
  ])('with %s is rejected', async (_name, body) => {
    expectFailure(await note(body), 400, 'INVALID_REQUEST')
    expectFailure(await echo(body), 400, 'INVALID_REQUEST')
  })

  it.each([
    ['an unpaired high surrogate', '{"title":"\\ud83d"}', '/title'],
    ['an unpaired low surrogate', '{"title":"\\udf75a"}', '/title'],
    ['surrogates in the wrong order', '{"title":"\\udf75\\ud83c"}', '/title'],
    ['U+0000', '{"title":"a\\u0000"}', '/title'],
    ['a nested U+0000', '{"tags":["a",{"b":"\\u0000"}]}', '/tags/1/b'],
    ['a surrogate in a name', '{"\\ud800":1}', undefined],
    ['U+0000 in a name', '{"a\\u0000":1}', undefined],
  ])('with %s is rejected by routes and agents', async (_name, body, pointer) => {
    for (const response of [await note(body), await echo(body)]) {
      const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'INVALID_UNICODE', source: 'body', ...(pointer && { pointer }) }])
    }
  })

  it('can have escaped surrogate pairs and escaped backslashes', async () => {
    expect(JSON.parse((await echo('{"a":"\\ud83c\\udf75","b":"\\\\u0000"}')).body)).toEqual({ a: '🍵', b: '\\u0000' })
  })

  it.each([
    ['twice', '{"title":"a","title":"b"}'],
    ['twice with the same value', '{"title":"a","title":"a"}'],
    ['once escaped', '{"title":"a","\\u0074itle":"b"}'],
    ['in a nested object', '{"title":"a","tags":[{"x":1,"x":2}]}'],
    ['with colons in values', '{"title":"a:b","title":":"}'],
  ])('with a duplicate member is rejected by routes and agents: %s', async (_name, body) => {
    for (const response of [await note(body), await echo(body)]) {
      const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ code: 'DUPLICATE_FIELD', source: 'body' }])
    }
  })

  it.each(['nope', '__proto__', 'constructor', 'Title', ''])(
    'with an unknown member name is rejected: %j',
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
  ])('can nest at most 32 levels of %s', async (_name, allowed, rejected) => {
    expect((await echo(allowed)).status).toBe(200)
    expectFailure(await echo(rejected), 400, 'INVALID_REQUEST')
  })

  it('that is nested deep enough to overflow a stack is rejected', async () => {
    expectFailure(await echo('['.repeat(500_000)), 400, 'INVALID_REQUEST')
    expectFailure(await echo(nest(500_000)), 400, 'INVALID_REQUEST')
    expectFailure(await echo('{"a":'.repeat(150_000)), 400, 'INVALID_REQUEST')
  })

  it('can have at most 1 MiB', async () => {
    const sized = (size: number): string => `"${'x'.repeat(size - 2)}"`
    expect((await echo(sized(1_048_576))).status).toBe(200)
    const rejected = await send(
      subject.port,
      request('POST /agent/echo', {
        body: sized(1_048_577),
        keepAlive: true,
        headers: { 'Content-Type': 'application/json' },
      }),
    )
    expectFailure(rejected, 413, 'CONTENT_TOO_LARGE')
    expect(rejected.headers['connection']).toBe('close')
  })

  it('is rejected by its Content-Length before it is sent', async () => {
    const head = request('POST /agent/echo', {
      keepAlive: true,
      headers: { 'Content-Type': 'application/json', 'Content-Length': '99999999' },
    })
    expectFailure(await send(subject.port, head), 413, 'CONTENT_TOO_LARGE')
  })

  it('is limited without a Content-Length', async () => {
    const head = request('POST /agent/echo', {
      keepAlive: true,
      headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
    })
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)
    const response = await send(subject.port, Buffer.concat([head, ...Array.from({ length: 17 }, () => chunk)]))
    expectFailure(response, 413, 'CONTENT_TOO_LARGE')
  })
})
