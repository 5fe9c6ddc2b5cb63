import { httpError, bodyTooLarge } from './http-error.ts'

/** What `readForm` takes beside a limit. */
export interface FormOptions {
  /** How many fields and files a form may have; more are 413. @default 1000 */
  parts?: number
}

/**
 * The fields and files of a form that was sent, as of an upload; more than `limit` bytes are not read and are 413, as are
 * more than a thousand fields and files, and what is no form is 415.
 * @example const form = await readForm(ctx.request, 5_000_000)
 */
export async function readForm(request: Request, limit: number, { parts = 1000 }: FormOptions = {}): Promise<FormData> {
  const type = toFormType(request.headers.get('content-type') ?? '')
  if (Number(request.headers.get('content-length')) > limit) throw bodyTooLarge(limit)
  const bytes = await readFormBytes(request, limit)
  assertFormParts(bytes, type.boundary, parts)
  try {
    return await new Response(bytes, { headers: { 'content-type': type.text } }).formData()
  } catch (cause) {
    throw httpError('INVALID_REQUEST', 'the body is no form, or was cut off', { cause })
  }
}

const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

const BOUNDARY = /;\s*boundary=(?:"((?:(?!["\\])[ -~]){1,70})"|((?:(?![",;\\])[!-~]){1,70}))\s*(?:;|$)/i

/** Reads how a form was written; `boundary` stands between its parts, and is null where an `&` does. */
function toFormType(header: string): { text: string; boundary: string | null } {
  const name = header.split(';', 1)[0]?.trim().toLowerCase()
  if (name === URL_ENCODED) return { text: URL_ENCODED, boundary: null }
  if (name !== MULTIPART)
    throw httpError('UNSUPPORTED_MEDIA_TYPE', `send a form, with Content-Type: ${MULTIPART}`, {
      headers: { accept: `${MULTIPART}, ${URL_ENCODED}` },
    })
  const [, quoted, boundary = quoted] = BOUNDARY.exec(header) ?? []
  if (boundary === undefined) throw httpError('INVALID_REQUEST', 'the Content-Type of the form has no boundary')
  // Written anew, so that whoever reads the form finds the parts that were counted.
  return { text: `${MULTIPART}; boundary="${boundary}"`, boundary }
}

/** Counted as they come: who sends no length, or a wrong one, fills no memory. */
async function readFormBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += piece.length
    if (size > limit) throw bodyTooLarge(limit)
    pieces.push(piece)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/** Bytes that the headers of all parts may have together: those of a photo are about a hundred. */
const MAX_HEADERS = 262_144

/**
 * Refuses a form of too many parts before it is read. To make a part takes far longer than to send it: 80,000 files of no
 * bytes, or a million headers, fit into 5 MB, and everybody else would wait for many seconds.
 */
function assertFormParts(bytes: Uint8Array, boundary: string | null, max: number): void {
  const { parts, headers } = boundary === null ? countFields(bytes, max) : countParts(bytes, boundary, max)
  if (parts > max) throw httpError('CONTENT_TOO_LARGE', `the form has more than ${max} fields and files`)
  if (headers > MAX_HEADERS)
    throw httpError('CONTENT_TOO_LARGE', `the headers of the form's parts have more than ${MAX_HEADERS} bytes`)
}

/** The number of parts, and of bytes of their headers; not counted to their end where they are too many. */
type PartCounts = Record<'parts' | 'headers', number>

function countFields(bytes: Uint8Array, max: number): PartCounts {
  const ampersand = 0x26
  let parts = 1
  for (let at = bytes.indexOf(ampersand); at !== -1 && parts <= max; at = bytes.indexOf(ampersand, at + 1)) parts += 1
  return { parts, headers: 0 }
}

/** As a reader goes through them: a delimiter, headers up to an empty line, content up to the next delimiter. */
function countParts(bytes: Uint8Array, boundary: string, max: number): PartCounts {
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  let parts = -1 // what is behind the last delimiter is none
  let headers = 0
  for (let at = 0; at !== -1 && parts <= max;) {
    const end = indexOfBytes(bytes, EMPTY_LINE, at)
    headers += (end === -1 ? bytes.length : end) - at
    parts += 1
    at = end === -1 ? -1 : indexOfBytes(bytes, delimiter, end)
  }
  return { parts, headers }
}

const EMPTY_LINE = new TextEncoder().encode('\r\n\r\n')

/** Where some bytes are within others; -1 where they are not. Fast where the first of the bytes is rare. */
function indexOfBytes(bytes: Uint8Array, sought: Uint8Array, from: number): number {
  const last = bytes.length - sought.length
  for (let at = from; at <= last; at += 1) if (bytes[at] === sought[0] && hasBytesAt(bytes, sought, at)) return at
  return -1
}

function hasBytesAt(bytes: Uint8Array, sought: Uint8Array, at: number): boolean {
  for (let index = 1; index < sought.length; index += 1) if (bytes[at + index] !== sought[index]) return false
  return true
}
