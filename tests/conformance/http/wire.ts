import { connect } from 'node:net'

/** A response as received. */
export interface RawResponse {
  readonly version: string
  readonly status: number
  /** By lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Options for `request`. */
export interface RequestParts {
  headers?: Record<string, string>
  body?: string | Buffer
  /** Whether to keep the connection open for another request. @default false */
  keepAlive?: boolean
}

/** Returns the bytes of a well-formed request: `request('GET /api/notes/7')`. */
export function request(line: string, { headers = {}, body, keepAlive = false }: RequestParts = {}): Buffer {
  const content = body === undefined ? Buffer.alloc(0) : Buffer.from(body)
  const all: Record<string, string> = {
    Host: 'localhost',
    ...(keepAlive ? {} : { Connection: 'close' }),
    ...(body === undefined ? {} : { 'Content-Length': String(content.length) }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), content])
}

/** Returns a request with a JSON body. */
export function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  return request(`POST ${path}`, { body, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** Options for reading responses. */
export interface SendOptions {
  /** Whether the responses are to HEAD: they have a length, but no content. @default false */
  toHead?: boolean
  /** Whether to half-close the connection after sending. @default false */
  endsEarly?: boolean
}

/** Sends bytes, and returns all responses until the server closes the connection. Fails if the server does not. */
export async function sendAll(port: number, bytes: Buffer | string, options: SendOptions = {}): Promise<RawResponse[]> {
  return parseResponses(await listen(port, bytes, options), options)
}

/** Sends bytes, and returns the only response. */
export async function send(port: number, bytes: Buffer | string, options?: SendOptions): Promise<RawResponse> {
  const [first, ...others] = await sendAll(port, bytes, options)
  if (first === undefined) throw new Error('the server closed the connection without a response')
  if (others.length > 0) throw new Error(`expected one response, got ${others.length + 1}`)
  return first
}

/** Reads all bytes until the server closes the connection. */
function listen(port: number, bytes: Buffer | string, { endsEarly = false }: SendOptions = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => (endsEarly ? socket.end(bytes) : socket.write(bytes)))
    socket.setTimeout(10_000, () => {
      reject(new Error(`the connection is still open after ${JSON.stringify(Buffer.concat(parts).toString('latin1'))}`))
      socket.destroy()
    })
    socket.on('data', (part: Buffer) => parts.push(part))
    // A server may close a connection while we are sending: bytes received before that count.
    socket.on('error', () => undefined).on('close', () => resolve(Buffer.concat(parts)))
  })
}

/** Parses the bytes of a connection; anything that is not an HTTP/1.1 response is an error. */
export function parseResponses(bytes: Buffer, { toHead = false }: SendOptions = {}): RawResponse[] {
  const responses: RawResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.subarray(0, end === -1 ? undefined : end).toString('latin1')
    const [, version = '', status] = /^HTTP\/(1\.[01]) (\d{3}) [^\r\n]*\r\n/.exec(`${head}\r\n`) ?? []
    if (end === -1 || status === undefined) throw new Error(`invalid response: ${JSON.stringify(head.slice(0, 300))}`)
    const headers = parseHeaders(head)
    const hasContent = !toHead && !/^(?:1..|204|304)$/.test(status)
    const { body, length } = hasContent ? readBody(headers, rest.subarray(end + 4)) : { body: '', length: 0 }
    responses.push({ version, status: Number(status), headers, body })
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}

function parseHeaders(head: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of head.split('\r\n').slice(1)) {
    const [, name, value] = /^([\w-]+): ?(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`not a header: ${JSON.stringify(line)}`)
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  return headers
}

function readBody(headers: Record<string, string>, bytes: Buffer): { body: string; length: number } {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes)
  // Without a length, the content ends with the connection.
  const length = Number(headers['content-length'] ?? bytes.length)
  if (bytes.length < length) throw new Error(`a body of ${length} bytes was truncated after ${bytes.length}`)
  return { body: bytes.subarray(0, length).toString(), length }
}

function readChunks(bytes: Buffer): { body: string; length: number } {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const line = bytes.subarray(at, Math.max(end, at)).toString('latin1')
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`not a chunk size: ${JSON.stringify(line.slice(0, 100))}`)
    const size = Number.parseInt(line, 16)
    const start = end + 2
    if (bytes.subarray(start + size, start + size + 2).toString() !== '\r\n') throw new Error('a chunk was truncated')
    parts.push(bytes.subarray(start, start + size))
    at = start + size + 2
    if (size === 0) return { body: Buffer.concat(parts).toString(), length: at }
  }
}
