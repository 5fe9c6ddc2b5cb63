import { parseFormDisposition } from './content-disposition.ts'
import { bodyTooLarge, httpError } from './http-error.ts'

/** A field or file in a form that is being received. */
export interface FormPart {
  readonly name: string
  /** The file name sent by the client, which is not a safe path. Null if the part is a field. */
  readonly filename: string | null
  /** The media type sent by the client. @default 'text/plain' */
  readonly type: string
  /** The bytes as they arrive. If a part is not read to the end, the rest is skipped. */
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** The limits for a form. */
export interface MultipartLimits {
  readonly bytes: number
  readonly parts: number
}

/** The maximum total size of all part headers in bytes. A part usually has about a hundred bytes of headers. */
const MAX_HEADERS = 262_144

const EMPTY_LINE = new TextEncoder().encode('\r\n\r\n')

/** Splits a multipart body (RFC 7578) into its parts as it arrives. */
export async function* splitMultipart(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<FormPart, void, undefined> {
  const bytes = new BodyBytes(body, limits.bytes)
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  try {
    await skip(bytes.readUntil(delimiter)) // the preamble
    let headerBytes = 0
    for (let count = 1; await bytes.startsPart(); count += 1) {
      if (count > limits.parts)
        throw httpError('CONTENT_TOO_LARGE', `the form has more than ${limits.parts} fields and files`)
      const header = await bytes.readHeader(MAX_HEADERS - headerBytes)
      headerBytes += header.length
      const content = bytes.readUntil(delimiter)
      yield { ...parsePartHeader(header), body: { [Symbol.asyncIterator]: () => ({ next: () => content.next() }) } }
      await skip(content)
    }
    await bytes.skipRest() // the epilogue
  } finally {
    await bytes.close()
  }
}

async function skip(bytes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of bytes);
}

function parsePartHeader(bytes: Uint8Array): Omit<FormPart, 'body'> {
  const headers = new Map<string, string>()
  // A header may continue on the next line, which then begins with whitespace.
  for (const line of decodeHeader(bytes)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
    else if (line !== '') throw invalidForm('a part has a header without a name')
  }
  const disposition = parseFormDisposition(headers.get('content-disposition') ?? '')
  if (disposition === null) throw invalidForm('a part must have Content-Disposition: form-data with a name')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (encoding !== undefined && !['7bit', '8bit', 'binary'].includes(encoding))
    throw invalidForm(`Content-Transfer-Encoding must be 7bit, 8bit or binary, got ${JSON.stringify(encoding)}`)
  return { ...disposition, type: headers.get('content-type') ?? 'text/plain' }
}

/** Decodes a header as UTF-8. If it is not valid UTF-8, decodes it as Latin-1, which old clients use. */
function decodeHeader(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

function invalidForm(message: string): Error {
  return httpError('INVALID_REQUEST', `the body is not a valid form: ${message}`)
}

/** A buffered reader for a body. */
class BodyBytes {
  readonly #source: AsyncIterator<Uint8Array<ArrayBuffer>>
  readonly #limit: number
  // Starts with a line break, because the first boundary may be at the very start of the body.
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array([13, 10])
  #received = 0

  constructor(body: AsyncIterable<Uint8Array<ArrayBuffer>>, limit: number) {
    this.#source = body[Symbol.asyncIterator]()
    this.#limit = limit
  }

  /** Yields the bytes before `end`, and skips `end`. */
  async *readUntil(end: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (let at = indexOfBytes(this.#buffer, end, 0); ; at = indexOfBytes(this.#buffer, end, 0)) {
      // The last bytes may be the beginning of `end`.
      const ready = at === -1 ? this.#buffer.length - end.length + 1 : at
      if (ready > 0) yield this.#take(ready)
      if (at !== -1) return void this.#take(end.length)
      await this.#fill()
    }
  }

  /** Reads the rest of a boundary line. Returns false if the boundary is the last one. */
  async startsPart(): Promise<boolean> {
    for (let at = 0; ; at += 1) {
      while (this.#buffer.length < at + 2) await this.#fill()
      const [first, second] = [this.#buffer[at], this.#buffer[at + 1]]
      if (at === 0 && first === 45 && second === 45) return false
      if (first === 13 && second === 10) {
        this.#take(at)
        return true
      }
      if (first !== 32 && first !== 9) throw invalidForm('a boundary must be followed by a line break')
    }
  }

  /** Reads the header lines of a part and the empty line after them. */
  async readHeader(max: number): Promise<Uint8Array> {
    for (let from = 0; ; from = Math.max(0, this.#buffer.length - EMPTY_LINE.length + 1), await this.#fill()) {
      const end = indexOfBytes(this.#buffer, EMPTY_LINE, from)
      if ((end === -1 ? this.#buffer.length : end) > max)
        throw httpError('CONTENT_TOO_LARGE', `the headers of the form's parts exceed ${MAX_HEADERS} bytes`)
      if (end === -1) continue
      const header = this.#take(end)
      this.#take(EMPTY_LINE.length)
      return header
    }
  }

  async skipRest(): Promise<void> {
    while (await this.#receive());
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  #take(length: number): Uint8Array<ArrayBuffer> {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return taken
  }

  async #fill(): Promise<void> {
    const next = await this.#receive()
    if (next === null) throw invalidForm('the final boundary is missing')
    const joined = new Uint8Array(this.#buffer.length + next.length)
    joined.set(this.#buffer)
    joined.set(next, this.#buffer.length)
    this.#buffer = joined
  }

  async #receive(): Promise<Uint8Array<ArrayBuffer> | null> {
    const next = await this.#source.next()
    if (next.done === true) return null
    this.#received += next.value.length
    if (this.#received > this.#limit) throw bodyTooLarge(this.#limit)
    return next.value
  }
}

/** Returns the index of `sought` within `bytes`, or -1 if it is not found. */
function indexOfBytes(bytes: Uint8Array, sought: Uint8Array, from: number): number {
  const last = bytes.length - sought.length
  const first = sought[0] ?? 0
  for (let at = bytes.indexOf(first, from); at !== -1 && at <= last; at = bytes.indexOf(first, at + 1))
    if (hasBytesAt(bytes, sought, at)) return at
  return -1
}

function hasBytesAt(bytes: Uint8Array, sought: Uint8Array, at: number): boolean {
  for (let index = 1; index < sought.length; index += 1) if (bytes[at + index] !== sought[index]) return false
  return true
}
