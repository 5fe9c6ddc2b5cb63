import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { openWire, startSubject } from './subject.ts'
import { ask, parseAnswers, post, request, talk } from './wire.ts'

const subject = startSubject({ timeouts: { headers: 400, request: 800 } })
const NOTE = '{"title":"Tea"}'
const head = (...lines: string[]): string => [...lines, '', ''].join('\r\n')
const JSON_POST = ['POST /agent/echo HTTP/1.1', 'Host: a', 'Content-Type: application/json']
const CHUNKED = [...JSON_POST, 'Transfer-Encoding: chunked']
const SMUGGLED = 'GET /api/notes/smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('what is hardly a request', () => {
  it.each<[what: string, bytes: string]>([
    ['no HTTP', head('hello')],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version to come', head('GET /api/notes/7 HTTP/3.7', 'Host: a')],
    ['a version of one digit', head('GET /api/notes/7 HTTP/1', 'Host: a')],
    ['no version', head('GET /api/notes/7', 'Host: a')],
    ['a space in the target', head('GET /api/notes/a b HTTP/1.1', 'Host: a')],
    ['NUL in the target', head('GET /api/notes/\0 HTTP/1.1', 'Host: a')],
    ['a fragment in the target', head('GET /api/notes/7#x HTTP/1.1', 'Host: a')],
    ['a target without a slash', head('GET api/notes/7 HTTP/1.1', 'Host: a')],
    ['a header without colon', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'bad header')],
    ['a space before the colon', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A : 1')],
    ['a header without name', head('GET /api/notes/7 HTTP/1.1', 'Host: a', ': 1')],
    ['a letter of another alphabet in a name', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-\xE9: 1')],
    ['NUL in a header', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A: a\0b')],
    ['a lone CR in a header', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A: a\rX-B: b')],
    ['a folded Host', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n b\r\n\r\n'],
    ['a header before the first line ends', ' GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no Host', head('GET /api/notes/7 HTTP/1.1', 'Accept: */*')],
    ['two Hosts, in HTTP/1.0', head('GET /api/notes/7 HTTP/1.0', 'Host: a', 'Host: a')],
    ['two Hosts', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Host: b')],
    ['two Hosts of one name', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'hOST: a')],
  ])('is refused: %s', async (_what, bytes) => {
    expectFailure(await ask(subject.port, Buffer.from(bytes, 'latin1'), { endsEarly: true }), 400, 'INVALID_REQUEST')
  })

  it.each([
    ['one header', [`X-A: ${'y'.repeat(17_000)}`]],
    ['many headers', Array.from({ length: 400 }, (_, n) => `X-${n}: ${'y'.repeat(50)}`)],
    ['a long name', [`${'y'.repeat(17_000)}: 1`]],
  ])('is refused for its size: %s', async (_what, headers) => {
    const answer = await ask(subject.port, head('GET /api/notes/7 HTTP/1.1', 'Host: a', ...headers))
    expectFailure(answer, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
  })

  it('may still have headers of 15 KiB', async () => {
    const answer = await ask(subject.port, request('GET /api/notes/7', { headers: { 'X-A': 'y'.repeat(15_000) } }))
    expect(answer.status).toBe(200)
  })

  it.each([
    ['no byte of headers ends', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n'],
    ['a body that does not come', head(...JSON_POST, 'Content-Length: 10')],
    ['a body that stops', `${head(...JSON_POST, 'Content-Length: 10')}{"a`],
    ['chunks that stop', `${head(...CHUNKED)}5\r\n{"a`],
  ])('is not waited for: %s', async (_what, bytes) => {
    expectFailure(await ask(subject.port, bytes), 408, 'REQUEST_TIMEOUT')
  })

  it.each([
    ['in its headers', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\nX-'],
    ['in its body', `${head(...JSON_POST, 'Content-Length: 10')}{"a`],
    ['in its chunks', `${head(...CHUNKED)}5\r\n{"a`],
  ])('is refused when it is cut off %s', async (_where, bytes) => {
    expectFailure(await ask(subject.port, bytes, { endsEarly: true }), 400, 'INVALID_REQUEST')
  })
})

describe('a length that can be read in two ways', () => {
  it.each<[what: string, bytes: string]>([
    ['both lengths', `${head(...CHUNKED, 'Content-Length: 4')}0\r\n\r\n`],
    [
      'both lengths, the other way round',
      `${head(...JSON_POST, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', `${head(...JSON_POST, 'Content-Length: 2', 'Content-Length: 3')}{} `],
    ['a list of lengths', `${head(...JSON_POST, 'Content-Length: 2, 2')}{}`],
    ['a signed length', `${head(...JSON_POST, 'Content-Length: +2')}{}`],
    ['a negative length', `${head(...JSON_POST, 'Content-Length: -1')}{}`],
    ['a hexadecimal length', `${head(...JSON_POST, 'Content-Length: 0x2')}{}`],
    ['a length beyond numbers', `${head(...JSON_POST, 'Content-Length: 99999999999999999999999')}{}`],
    ['an empty length', `${head(...JSON_POST, 'Content-Length: ')}{}`],
    ['a coding after chunked', `${head(...JSON_POST, 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
    ['a coding like chunked', `${head(...JSON_POST, 'Transfer-Encoding: xchunked')}0\r\n\r\n`],
    ['a coding nobody knows', `${head(...JSON_POST, 'Transfer-Encoding: cow')}0\r\n\r\n`],
    ['a folded coding', `${head(...JSON_POST, 'Transfer-Encoding:\r\n chunked', 'Content-Length: 2')}{}`],
    ['a size that is none', `${head(...CHUNKED)}xyz\r\n{}\r\n0\r\n\r\n`],
    ['a negative size', `${head(...CHUNKED)}-2\r\n{}\r\n0\r\n\r\n`],
    ['a size with a prefix', `${head(...CHUNKED)}0x2\r\n{}\r\n0\r\n\r\n`],
    ['a size beyond numbers', `${head(...CHUNKED)}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than it says', `${head(...CHUNKED)}1\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that ends with LF', `${head(...CHUNKED)}2\n{}\n0\n\n`],
    ['a trailer that is none', `${head(...CHUNKED)}2\r\n{}\r\n0\r\nbad trailer\r\n\r\n`],
  ])('is refused, and what follows is no request: %s', async (_what, bytes) => {
    const answers = await talk(subject.port, bytes + SMUGGLED)
    expect(answers).toHaveLength(1)
    const [answer] = answers
    if (answer !== undefined) expectFailure(answer, 400, 'INVALID_REQUEST')
  })

  it('is well read where it is well said', async () => {
    const chunked = `${head(...CHUNKED, 'Connection: close')}3;ext="x"\r\n{"a\r\n4\r\n":1}\r\n0\r\nX-Trailer: 1\r\nHost: b\r\n\r\n`
    const answer = await ask(subject.port, chunked)
    expect([answer.status, answer.body]).toEqual([200, '{"a":1}'])
  })
})

describe('HTTP, where it is unusual but right', () => {
  it.each<[what: string, bytes: string]>([
    ['HTTP/1.0 without a Host', head('GET /api/notes/7 HTTP/1.0')],
    ['HTTP/1.0 with a Host', head('GET /api/notes/7 HTTP/1.0', 'Host: a')],
    ['an absolute target', head('GET http://a.example/api/notes/7 HTTP/1.1', 'Host: a.example', 'Connection: close')],
    [
      'an absolute target in capitals',
      head('GET HTTP://a.example/api/notes/7 HTTP/1.1', 'Host: a.example', 'Connection: close'),
    ],
    ['headers in capitals', head('GET /api/notes/7 HTTP/1.1', 'HOST: a', 'CONNECTION: close')],
    ['spaces around a value', head('GET /api/notes/7 HTTP/1.1', 'Host:\t a  ', 'Connection: \tclose')],
    ['no space after a colon', head('GET /api/notes/7 HTTP/1.1', 'Host:a', 'Connection:close')],
    ['empty lines before it', `\r\n\r\n${head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close')}`],
    [
      'an offer of HTTP/2',
      head(
        'GET /api/notes/7 HTTP/1.1',
        'Host: a',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
      ) + head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close'),
    ],
  ])('is answered: %s', async (_what, bytes) => {
    const answers = await talk(subject.port, bytes)
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of answers)
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { id: '7', query: {} }])
  })

  it.each<[what: string, bytes: string]>([
    ['lines that end with LF', 'GET /api/notes/7 HTTP/1.1\nHost: a\nConnection: close\n\n'],
    ['a folded header', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n  2\r\nConnection: close\r\n\r\n'],
    ['two spaces', head('GET  /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close')],
  ])('is answered or refused, never more: %s', async (_what, bytes) => {
    const answer = await ask(subject.port, bytes, { endsEarly: true })
    if (answer.status < 300) expectGuarded(answer)
    else expectFailure(answer, answer.status, answer.status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST')
  })

  it('answers OPTIONS * for the server as a whole', async () => {
    const answer = await ask(subject.port, head('OPTIONS * HTTP/1.1', 'Host: a', 'Connection: close'))
    expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])
    expectGuarded(answer)
    expectFailure(await ask(subject.port, head('GET * HTTP/1.1', 'Host: a', 'Connection: close')), 404, 'NOT_FOUND')
  })
})

describe('several requests on one connection', () => {
  const keep = { keepAlive: true }

  it('are answered in their order, also when the first is slow', async () => {
    const slow = request('POST /agent/slow', { body: '3', headers: { 'Content-Type': 'application/json' }, ...keep })
    const many = Array.from({ length: 20 }, (_, n) => request(`GET /api/notes/${n}`, keep))
    const answers = await talk(subject.port, Buffer.concat([slow, ...many, request('GET /nowhere')]))
    expect(answers).toHaveLength(22)
    expect(answers[0]?.body).toBe('{"n":0}\n{"n":1}\n{"n":2}\n')
    expect(answers.slice(1, -1).map(({ body }) => (JSON.parse(body) as { id: string }).id)).toEqual(
      many.map((_, n) => String(n)),
    )
    expectFailure(answers[21] ?? (answers[0] as never), 404, 'NOT_FOUND')
  })

  it('go on after a failure that is no danger', async () => {
    const failures = ['GET /nowhere', 'PUT /api/notes/7', 'GET /api/notes/%zz', 'GET /api/broken'].map((line) =>
      request(line, keep),
    )
    const answers = await talk(subject.port, Buffer.concat([...failures, post('/api/notes', NOTE)]))
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 400, 500, 200])
  })

  it('end with the first that is malformed, after the answers before it', async () => {
    const bytes = Buffer.concat([
      request('GET /api/notes/1', keep),
      Buffer.from('nonsense\r\n\r\n'),
      request('GET /api/notes/2'),
    ])
    const answers = await talk(subject.port, bytes)
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expectFailure(answers[1] ?? (answers[0] as never), 400, 'INVALID_REQUEST')
  })

  it('end with two Hosts, after the answers before them', async () => {
    const slow = request('POST /agent/slow', { body: '3', headers: { 'Content-Type': 'application/json' }, ...keep })
    const bytes = Buffer.concat([
      slow,
      Buffer.from(head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Host: b')),
      request('GET /api/notes/2'),
    ])
    const answers = await talk(subject.port, bytes)
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(answers[0]?.body).toBe('{"n":0}\n{"n":1}\n{"n":2}\n')
  })

  it('do not spoil a stream that has begun: nonsense behind it never lands inside it', async () => {
    const wire = openWire(subject.port)
    wire.send(
      request('POST /agent/slow', { body: '10', headers: { 'Content-Type': 'application/json' }, ...keep }).toString(),
    )
    await expect.poll(() => wire.heard()).toContain('{"n":0}')
    wire.send('nonsense\r\n\r\n')
    await expect.poll(() => /\r\n0\r\n\r\n|HTTP\/1.1 400/.test(wire.heard())).toBe(true)
    wire.close()
    const inside = wire.heard().slice(wire.heard().indexOf('\r\n\r\n')).split('\r\n0\r\n\r\n')[0]
    expect(inside).not.toContain('HTTP/1.1')
  })
})

describe('a handshake', () => {
  const shake = (path: string, ...more: string[]): string =>
    head(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', ...more)
  const KEY = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

  it.each([
    ['at a place without a socket', shake('/ws/nowhere', ...KEY), 404, 'NOT_FOUND'],
    ['at a malformed place', shake('/ws/%zz', ...KEY), 400, 'INVALID_REQUEST'],
    ['without a key', shake('/ws/chat', 'Sec-WebSocket-Version: 13'), 400, 'INVALID_REQUEST'],
    ['with two Hosts', shake('/ws/chat', 'Host: b', ...KEY), 400, 'INVALID_REQUEST'],
    ['of a foreign page', shake('/ws/chat', 'Origin: https://evil.example', ...KEY), 403, 'FORBIDDEN'],
  ])('is refused with the envelope %s', async (_what, bytes, status, code) => {
    expectFailure(await ask(subject.port, bytes), status, code)
  })

  it.each(['/ws/chat', 'http://a/ws/chat', 'HTTP://a/ws/chat?x=1'])('is done for the target %s', async (target) => {
    const wire = openWire(subject.port)
    wire.send(shake(target, ...KEY))
    await expect.poll(() => wire.heard()).toContain('\r\n\r\n')
    wire.close()
    expect(wire.heard()).toMatch(/^HTTP\/1\.1 101 /)
  })

  it('of a version nobody speaks is refused, and told of one that is spoken', async () => {
    const answer = await ask(subject.port, shake('/ws/chat', 'Sec-WebSocket-Version: 7', KEY[1] ?? ''))
    expectFailure(answer, answer.status, answer.status === 426 ? 'UPGRADE_REQUIRED' : 'INVALID_REQUEST')
    expect(answer.headers['sec-websocket-version']).toContain('13')
  })

  it('that is none gets 426 or 404 at a socket', async () => {
    const answer = await ask(subject.port, request('GET /ws/chat'))
    expectFailure(answer, answer.status, answer.status === 426 ? 'UPGRADE_REQUIRED' : 'NOT_FOUND')
  })
})

describe('bytes of an answer', () => {
  it('are what the tests can read', () => {
    const bytes =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\nA: 1\r\nA: 2\r\n\r\n'
    expect(parseAnswers(Buffer.from(bytes))).toMatchObject([
      { status: 200, body: 'hi' },
      { status: 204, headers: { a: '1, 2' } },
    ])
    for (const broken of [
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab',
      'hello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nh',
    ]) {
      expect(() => parseAnswers(Buffer.from(broken))).toThrow(Error)
    }
  })
})
