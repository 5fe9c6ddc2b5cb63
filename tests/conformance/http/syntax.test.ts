import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { openConnection, startSubject } from './subject.ts'
import { send, parseResponses, post, request, sendAll } from './wire.ts'

const subject = startSubject({ timeouts: { headers: 400, request: 800 } })
const NOTE = '{"title":"Tea"}'
const head = (...lines: string[]): string => [...lines, '', ''].join('\r\n')
const JSON_POST = ['POST /agent/echo HTTP/1.1', 'Host: a', 'Content-Type: application/json']
const CHUNKED = [...JSON_POST, 'Transfer-Encoding: chunked']
const SMUGGLED = 'GET /api/notes/smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('a malformed request', () => {
  it.each<[name: string, bytes: string]>([
    ['no request line', head('hello')],
    ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', head('GET /api/notes/7 HTTP/3.7', 'Host: a')],
    ['a version with one digit', head('GET /api/notes/7 HTTP/1', 'Host: a')],
    ['no version', head('GET /api/notes/7', 'Host: a')],
    ['a space in the target', head('GET /api/notes/a b HTTP/1.1', 'Host: a')],
    ['NUL in the target', head('GET /api/notes/\0 HTTP/1.1', 'Host: a')],
    ['a fragment in the target', head('GET /api/notes/7#x HTTP/1.1', 'Host: a')],
    ['a target without a slash', head('GET api/notes/7 HTTP/1.1', 'Host: a')],
    ['a header without a colon', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'bad header')],
    ['a space before the colon', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A : 1')],
    ['a header without a name', head('GET /api/notes/7 HTTP/1.1', 'Host: a', ': 1')],
    ['a non-ASCII letter in a header name', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-\xE9: 1')],
    ['NUL in a header', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A: a\0b')],
    ['a lone CR in a header', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'X-A: a\rX-B: b')],
    ['a folded Host', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n b\r\n\r\n'],
    ['a space before the request line', ' GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no Host', head('GET /api/notes/7 HTTP/1.1', 'Accept: */*')],
    ['two Hosts in HTTP/1.0', head('GET /api/notes/7 HTTP/1.0', 'Host: a', 'Host: a')],
    ['two Hosts', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Host: b')],
    ['two equal Hosts', head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'hOST: a')],
  ])('is rejected: %s', async (_name, bytes) => {
    expectFailure(await send(subject.port, Buffer.from(bytes, 'latin1'), { endsEarly: true }), 400, 'INVALID_REQUEST')
  })

  it.each([
    ['one header', [`X-A: ${'y'.repeat(17_000)}`]],
    ['many headers', Array.from({ length: 400 }, (_, n) => `X-${n}: ${'y'.repeat(50)}`)],
    ['a long header name', [`${'y'.repeat(17_000)}: 1`]],
  ])('is rejected with 431 if its headers are too large: %s', async (_name, headers) => {
    const response = await send(subject.port, head('GET /api/notes/7 HTTP/1.1', 'Host: a', ...headers))
    expectFailure(response, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE')
  })

  it('can have headers of 15 KiB', async () => {
    const response = await send(subject.port, request('GET /api/notes/7', { headers: { 'X-A': 'y'.repeat(15_000) } }))
    expect(response.status).toBe(200)
  })

  it.each([
    ['headers that do not end', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\n'],
    ['a missing body', head(...JSON_POST, 'Content-Length: 10')],
    ['a body that stops', `${head(...JSON_POST, 'Content-Length: 10')}{"a`],
    ['chunks that stop', `${head(...CHUNKED)}5\r\n{"a`],
  ])('is rejected with 408 after a timeout: %s', async (_name, bytes) => {
    expectFailure(await send(subject.port, bytes), 408, 'REQUEST_TIMEOUT')
  })

  it.each([
    ['in its headers', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\nX-'],
    ['in its body', `${head(...JSON_POST, 'Content-Length: 10')}{"a`],
    ['in its chunks', `${head(...CHUNKED)}5\r\n{"a`],
  ])('is rejected if it ends %s', async (_position, bytes) => {
    expectFailure(await send(subject.port, bytes, { endsEarly: true }), 400, 'INVALID_REQUEST')
  })
})

describe('a body with an ambiguous or invalid length', () => {
  it.each<[name: string, bytes: string]>([
    ['Transfer-Encoding before Content-Length', `${head(...CHUNKED, 'Content-Length: 4')}0\r\n\r\n`],
    [
      'Content-Length before Transfer-Encoding',
      `${head(...JSON_POST, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', `${head(...JSON_POST, 'Content-Length: 2', 'Content-Length: 3')}{} `],
    ['a list of lengths', `${head(...JSON_POST, 'Content-Length: 2, 2')}{}`],
    ['a signed length', `${head(...JSON_POST, 'Content-Length: +2')}{}`],
    ['a negative length', `${head(...JSON_POST, 'Content-Length: -1')}{}`],
    ['a hexadecimal length', `${head(...JSON_POST, 'Content-Length: 0x2')}{}`],
    ['a length above the range of numbers', `${head(...JSON_POST, 'Content-Length: 99999999999999999999999')}{}`],
    ['an empty length', `${head(...JSON_POST, 'Content-Length: ')}{}`],
    ['a coding after chunked', `${head(...JSON_POST, 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
    ['a coding like chunked', `${head(...JSON_POST, 'Transfer-Encoding: xchunked')}0\r\n\r\n`],
    ['an unknown coding', `${head(...JSON_POST, 'Transfer-Encoding: cow')}0\r\n\r\n`],
    ['a folded coding', `${head(...JSON_POST, 'Transfer-Encoding:\r\n chunked', 'Content-Length: 2')}{}`],
    ['an invalid chunk size', `${head(...CHUNKED)}xyz\r\n{}\r\n0\r\n\r\n`],
    ['a negative chunk size', `${head(...CHUNKED)}-2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size with a prefix', `${head(...CHUNKED)}0x2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size above the range of numbers', `${head(...CHUNKED)}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${head(...CHUNKED)}1\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that ends with LF', `${head(...CHUNKED)}2\n{}\n0\n\n`],
    ['an invalid trailer', `${head(...CHUNKED)}2\r\n{}\r\n0\r\nbad trailer\r\n\r\n`],
  ])('is rejected, and the bytes after it are not handled as a request: %s', async (_name, bytes) => {
    const responses = await sendAll(subject.port, bytes + SMUGGLED)
    expect(responses).toHaveLength(1)
    const [response] = responses
    if (response !== undefined) expectFailure(response, 400, 'INVALID_REQUEST')
  })

  it('is accepted if the chunks are valid', async () => {
    const chunked = `${head(...CHUNKED, 'Connection: close')}3;ext="x"\r\n{"a\r\n4\r\n":1}\r\n0\r\nX-Trailer: 1\r\nHost: b\r\n\r\n`
    const response = await send(subject.port, chunked)
    expect([response.status, response.body]).toEqual([200, '{"a":1}'])
  })
})

describe('an unusual request', () => {
  it.each<[name: string, bytes: string]>([
    ['HTTP/1.0 without Host', head('GET /api/notes/7 HTTP/1.0')],
    ['HTTP/1.0 with Host', head('GET /api/notes/7 HTTP/1.0', 'Host: a')],
    ['an absolute target', head('GET http://a.example/api/notes/7 HTTP/1.1', 'Host: a.example', 'Connection: close')],
    [
      'an absolute target in capitals',
      head('GET HTTP://a.example/api/notes/7 HTTP/1.1', 'Host: a.example', 'Connection: close'),
    ],
    ['headers in capitals', head('GET /api/notes/7 HTTP/1.1', 'HOST: a', 'CONNECTION: close')],
    ['spaces around a value', head('GET /api/notes/7 HTTP/1.1', 'Host:\t a  ', 'Connection: \tclose')],
    ['no space after a colon', head('GET /api/notes/7 HTTP/1.1', 'Host:a', 'Connection:close')],
    ['empty lines before the request', `\r\n\r\n${head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close')}`],
    [
      'an upgrade to HTTP/2',
      head(
        'GET /api/notes/7 HTTP/1.1',
        'Host: a',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
      ) + head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close'),
    ],
  ])('is accepted if it is valid: %s', async (_name, bytes) => {
    const responses = await sendAll(subject.port, bytes)
    expect(responses.length).toBeGreaterThan(0)
    for (const response of responses)
      expect([response.status, JSON.parse(response.body)]).toEqual([200, { id: '7', query: {} }])
  })

  it.each<[name: string, bytes: string]>([
    ['lines that end with LF', 'GET /api/notes/7 HTTP/1.1\nHost: a\nConnection: close\n\n'],
    ['a folded header', 'GET /api/notes/7 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n  2\r\nConnection: close\r\n\r\n'],
    ['two spaces', head('GET  /api/notes/7 HTTP/1.1', 'Host: a', 'Connection: close')],
  ])('returns exactly one response: %s', async (_name, bytes) => {
    const response = await send(subject.port, bytes, { endsEarly: true })
    if (response.status < 300) expectGuarded(response)
    else expectFailure(response, response.status, response.status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST')
  })

  it('returns all methods for OPTIONS *', async () => {
    const response = await send(subject.port, head('OPTIONS * HTTP/1.1', 'Host: a', 'Connection: close'))
    expect([response.status, response.headers['allow']]).toEqual([204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])
    expectGuarded(response)
    expectFailure(await send(subject.port, head('GET * HTTP/1.1', 'Host: a', 'Connection: close')), 404, 'NOT_FOUND')
  })
})

describe('several requests on one connection', () => {
  const keep = { keepAlive: true }

  it('receive their responses in order, even if the first is slow', async () => {
    const slow = request('POST /agent/slow', { body: '3', headers: { 'Content-Type': 'application/json' }, ...keep })
    const many = Array.from({ length: 20 }, (_, n) => request(`GET /api/notes/${n}`, keep))
    const responses = await sendAll(subject.port, Buffer.concat([slow, ...many, request('GET /nowhere')]))
    expect(responses).toHaveLength(22)
    expect(responses[0]?.body).toBe('{"n":0}\n{"n":1}\n{"n":2}\n')
    expect(responses.slice(1, -1).map(({ body }) => (JSON.parse(body) as { id: string }).id)).toEqual(
      many.map((_, n) => String(n)),
    )
    expectFailure(responses[21] ?? (responses[0] as never), 404, 'NOT_FOUND')
  })

  it('continue after an error response', async () => {
    const failures = ['GET /nowhere', 'PUT /api/notes/7', 'GET /api/notes/%zz', 'GET /api/broken'].map((line) =>
      request(line, keep),
    )
    const responses = await sendAll(subject.port, Buffer.concat([...failures, post('/api/notes', NOTE)]))
    expect(responses.map(({ status }) => status)).toEqual([404, 405, 400, 500, 200])
  })

  it('end with the first malformed request, after the responses before it', async () => {
    const bytes = Buffer.concat([
      request('GET /api/notes/1', keep),
      Buffer.from('nonsense\r\n\r\n'),
      request('GET /api/notes/2'),
    ])
    const responses = await sendAll(subject.port, bytes)
    expect(responses.map(({ status }) => status)).toEqual([200, 400])
    expectFailure(responses[1] ?? (responses[0] as never), 400, 'INVALID_REQUEST')
  })

  it('end with a request with two Hosts, after the responses before it', async () => {
    const slow = request('POST /agent/slow', { body: '3', headers: { 'Content-Type': 'application/json' }, ...keep })
    const bytes = Buffer.concat([
      slow,
      Buffer.from(head('GET /api/notes/7 HTTP/1.1', 'Host: a', 'Host: b')),
      request('GET /api/notes/2'),
    ])
    const responses = await sendAll(subject.port, bytes)
    expect(responses.map(({ status }) => status)).toEqual([200, 400])
    expect(responses[0]?.body).toBe('{"n":0}\n{"n":1}\n{"n":2}\n')
  })

  it('do not write an error for malformed bytes into a running stream', async () => {
    const connection = openConnection(subject.port)
    connection.send(
      request('POST /agent/slow', { body: '10', headers: { 'Content-Type': 'application/json' }, ...keep }).toString(),
    )
    await expect.poll(() => connection.received()).toContain('{"n":0}')
    connection.send('nonsense\r\n\r\n')
    await expect.poll(() => /\r\n0\r\n\r\n|HTTP\/1.1 400/.test(connection.received())).toBe(true)
    connection.close()
    const inside = connection.received().slice(connection.received().indexOf('\r\n\r\n')).split('\r\n0\r\n\r\n')[0]
    expect(inside).not.toContain('HTTP/1.1')
  })
})

describe('a WebSocket handshake', () => {
  const shake = (path: string, ...more: string[]): string =>
    head(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', ...more)
  const KEY = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

  it.each([
    ['for an unknown path', shake('/ws/nowhere', ...KEY), 404, 'NOT_FOUND'],
    ['for a malformed path', shake('/ws/%zz', ...KEY), 400, 'INVALID_REQUEST'],
    ['without a key', shake('/ws/chat', 'Sec-WebSocket-Version: 13'), 400, 'INVALID_REQUEST'],
    ['with two Hosts', shake('/ws/chat', 'Host: b', ...KEY), 400, 'INVALID_REQUEST'],
    ['from another origin', shake('/ws/chat', 'Origin: https://evil.example', ...KEY), 403, 'FORBIDDEN'],
  ])('is rejected with the envelope %s', async (_name, bytes, status, code) => {
    expectFailure(await send(subject.port, bytes), status, code)
  })

  it.each(['/ws/chat', 'http://a/ws/chat', 'HTTP://a/ws/chat?x=1'])('succeeds for the target %s', async (target) => {
    const connection = openConnection(subject.port)
    connection.send(shake(target, ...KEY))
    await expect.poll(() => connection.received()).toContain('\r\n\r\n')
    connection.close()
    expect(connection.received()).toMatch(/^HTTP\/1\.1 101 /)
  })

  it('with an unsupported version is rejected with the supported version', async () => {
    const response = await send(subject.port, shake('/ws/chat', 'Sec-WebSocket-Version: 7', KEY[1] ?? ''))
    expectFailure(response, response.status, response.status === 426 ? 'UPGRADE_REQUIRED' : 'INVALID_REQUEST')
    expect(response.headers['sec-websocket-version']).toContain('13')
  })

  it('is required at a socket path: a plain GET returns 426 or 404', async () => {
    const response = await send(subject.port, request('GET /ws/chat'))
    expectFailure(response, response.status, response.status === 426 ? 'UPGRADE_REQUIRED' : 'NOT_FOUND')
  })
})

describe('parseResponses', () => {
  it('parses responses and throws if they are truncated or invalid', () => {
    const bytes =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\nA: 1\r\nA: 2\r\n\r\n'
    expect(parseResponses(Buffer.from(bytes))).toMatchObject([
      { status: 200, body: 'hi' },
      { status: 204, headers: { a: '1, 2' } },
    ])
    for (const broken of [
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab',
      'hello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nh',
    ]) {
      expect(() => parseResponses(Buffer.from(broken))).toThrow(Error)
    }
  })
})
