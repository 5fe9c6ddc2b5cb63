import fc from 'fast-check'

const NOTE = '{"title":"Tea","stars":3,"tags":["a"]}'
const withBody = (line: string, body: string, ...headers: string[]): string =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
const chunked = (chunks: string): string =>
  `POST /agent/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`

/** Valid requests from which hostile ones are derived. None is HEAD, whose responses depend on the request method. */
const GOOD = [
  'GET /api/notes/7?a=1&b=%C3%A9 HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nX-Request-Id: 12345678\r\n\r\n',
  'GET /api/search?q=tea HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.7, 10.0.0.1\r\nOrigin: https://app.example.com\r\n\r\n',
  'OPTIONS /api/notes HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  'DELETE /api/tree/a/b HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n',
  withBody('POST /api/notes', NOTE, 'Idempotency-Key: "abc"', 'Cookie: a=b; c=d'),
  withBody('PATCH /api/notes/a%2Fb', NOTE, 'If-Match: "1"', 'Content-Encoding: identity'),
  withBody('POST /agent/echo', '{"a":[1,2,{"b":null}]}', 'Expect: 100-continue', 'Authorization: Bearer x'),
  withBody('POST /agent/stream', '7', 'Accept: text/event-stream'),
  withBody('POST /api/upload', 'plain text', 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  chunked('3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\nX-T: 1\r\n\r\n'),
]

const TOKENS = [
  ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', '%', '%00', '%ff', '%2e%2e', '//', '/../', '?', '#', '&', '=', ':'],
  ['\xFF', '\xED\xA0\x80', '\xC0\xAF', 'é', '🍵', '\u202E', '"', '\\', '\\u0000', '\\ud800', '{', '}', '[', ']'],
  ['0', '-1', '4294967296', '18446744073709551616', '1e309', 'NaN', '0x10', 'ffffffffffffffff'],
  ['\r\nHost: b', '\r\nContent-Length: 5', '\r\nContent-Length: 99999999', '\r\nTransfer-Encoding: chunked'],
  ['\r\nTransfer-Encoding: gzip, chunked', '\r\nExpect: tea', '\r\nConnection: close, te', '\r\nX: y\r\n z'],
  ['\r\nUpgrade: websocket\r\nConnection: Upgrade', '\r\nUpgrade: h2c\r\nConnection: Upgrade'],
  ['\r\nContent-Type: x/y', '\r\nAccept: text/html', '\r\nAccept: */*;q=x', '\r\nContent-Encoding: gzip'],
  ['\r\nX-Forwarded-For: ::1%lo', '\r\nOrigin: null', '\r\nIdempotency-Key: é', '\r\nCookie: ;;=;'],
  ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'CONNECT', 'TRACE', 'http://a:b@c:99999/', '*', '__proto__', 'constructor'],
  ['x'.repeat(9_000), 'x'.repeat(17_000)],
].flat()

const bytes = (text: string): Buffer => Buffer.from(text, /[^\0-\xFF]/.test(text) ? 'utf8' : 'latin1')

/** A position in a string of any length. */
const place = fc.noBias(fc.nat({ max: 9_999 })).map((n) => n / 10_000)
const at = (part: number, { length }: Buffer): number => Math.floor(part * (length + 1))

type Mutation = (request: Buffer) => Buffer

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...TOKENS)).map(([part, token]) => (request: Buffer) => {
    const here = at(part, request)
    return Buffer.concat([request.subarray(0, here), bytes(token), request.subarray(here)])
  }),
  fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(([part, byte]) => (request: Buffer) => {
    const copy = Buffer.from(request)
    if (copy.length > 0) copy[Math.min(at(part, copy), copy.length - 1)] = byte
    return copy
  }),
  fc.tuple(place, fc.integer({ min: 1, max: 20 })).map(([part, length]) => (request: Buffer) => {
    const here = at(part, request)
    return Buffer.concat([request.subarray(0, here), request.subarray(here + length)])
  }),
  fc.tuple(place, place, fc.integer({ min: 1, max: 40 })).map(([from, to, length]) => (request: Buffer) => {
    const copied = request.subarray(at(from, request), at(from, request) + length)
    return Buffer.concat([request.subarray(0, at(to, request)), copied, request.subarray(at(to, request))])
  }),
  place.map((part) => (request: Buffer) => request.subarray(0, at(part, request))),
)

const good = fc.constantFrom(...GOOD).map(bytes)

const mutated = fc
  .tuple(good, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([request, changes]) => changes.reduce((so, change) => change(so), request))

const anyText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(...TOKENS),
)

const withHeaders = fc
  .tuple(
    fc.constantFrom('GET /api/notes/7', 'POST /api/upload', 'POST /agent/echo', 'OPTIONS /agent/strict'),
    fc.array(
      fc.tuple(fc.oneof(anyText, fc.constantFrom('Host', 'Accept', 'Content-Type', 'Cookie', 'Origin')), anyText),
      {
        maxLength: 12,
      },
    ),
    fc.boolean(),
  )
  .map(([line, headers, hasHost]) =>
    Buffer.concat([
      bytes(`${line} HTTP/1.1\r\n${hasHost ? 'Host: localhost\r\n' : ''}`),
      ...headers.flatMap(([name, value]) => [bytes(name), bytes(': '), bytes(value), bytes('\r\n')]),
      bytes('\r\n'),
    ]),
  )

const KNOWN_HEADERS = [
  ['Host', 'Accept', 'Content-Type', 'Content-Encoding', 'Cookie', 'Origin', 'Authorization', 'Idempotency-Key'],
  ['X-Request-Id', 'X-Forwarded-For', 'traceparent', 'If-Match', 'Sec-Fetch-Site', 'Range', 'Expect', 'Connection'],
].flat()

/** Syntactically valid, so that it passes the parser. */
const visible = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('*/*;q=2', 'application/json;q=0', 'null', '::', '[::1', 'a:99999', 'gzip', '"', 'bytes=9-1', ', ,'),
)
const wellFormed = fc
  .tuple(
    fc.constantFrom('GET /api/notes/', 'GET /api/search?', 'GET /api/tree/', 'POST /api/upload?', 'POST /agent/echo?'),
    fc.array(fc.oneof(visible.map(encodeURI), fc.constantFrom('%00', '%ff', '%', '&', '=', '/', '..', '?', '+')), {
      maxLength: 6,
    }),
    fc.array(fc.tuple(fc.constantFrom(...KNOWN_HEADERS), visible), { maxLength: 5 }),
  )
  .map(([line, parts, headers]) => {
    const named = headers.filter(([name]) => name !== 'Host').map(([name, value]) => `${name}: ${value}\r\n`)
    const host = headers.find(([name]) => name === 'Host')?.[1] ?? 'localhost'
    return bytes(`${line}${parts.join('')} HTTP/1.1\r\nHost: ${host}\r\n${named.join('')}\r\n`)
  })

const targets = fc
  .tuple(fc.constantFrom('GET', 'POST', 'PATCH', 'TRACE', 'QUERY', 'get'), fc.array(anyText, { maxLength: 6 }))
  .map(([method, parts]) => bytes(`${method} /api/${parts.join('/')} HTTP/1.1\r\nHost: localhost\r\n\r\n`))

/** Longer than the limit of a target, some of them below the limit of all headers. */
const longTargets = fc
  .integer({ min: 7_000, max: 18_000 })
  .map((length) => bytes(`GET /api/notes/${'x'.repeat(length)} HTTP/1.1\r\nHost: localhost\r\n\r\n`))

const badChunks = fc
  .array(
    fc.oneof(
      anyText,
      fc.nat().map((n) => `${n.toString(16)}\r\n`),
      fc.constantFrom('0\r\n\r\n', '1\r\nx\r\n', '\r\n'),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => bytes(chunked(parts.join(''))))

const noise = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))

const pipelined = fc.array(fc.oneof(good, mutated), { minLength: 2, maxLength: 4 }).map((list) => Buffer.concat(list))

/** Bytes that an attacker or a broken proxy may send over one connection. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 5, arbitrary: wellFormed },
  { weight: 3, arbitrary: withHeaders },
  { weight: 2, arbitrary: targets },
  { weight: 1, arbitrary: longTargets },
  { weight: 2, arbitrary: badChunks },
  { weight: 1, arbitrary: pipelined },
  { weight: 1, arbitrary: noise },
)
