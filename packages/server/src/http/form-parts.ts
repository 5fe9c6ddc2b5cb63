import { httpError } from './http-error.ts'

/** Bytes that the headers of all parts may have together: those of a photo are about a hundred. */
const MAX_HEADERS = 262_144

/**
 * Refuses a form of too many parts before it is read. To make a part takes far longer than to send it: 80,000 files of no
 * bytes, or a million headers, fit into 5 MB, and everybody else would wait for many seconds.
 */
export function assertFormParts(bytes: Uint8Array, boundary: string | null, max: number): void {
  const { parts, headers } = boundary === null ? countFields(bytes, max) : countParts(bytes, boundary, max)
  if (parts > max) throw httpError('CONTENT_TOO_LARGE', `the form has more than ${max} fields and files`)
  if (headers > MAX_HEADERS)
    throw httpError('CONTENT_TOO_LARGE', `the headers of the form's parts have more than ${MAX_HEADERS} bytes`)
}

/** How many parts there are, and how many bytes of headers; not counted to their end where they are too many. */
interface PartCounts {
  readonly parts: number
  readonly headers: number
}

function countFields(bytes: Uint8Array, max: number): PartCounts {
  let parts = 1
  for (let at = bytes.indexOf(AMPERSAND); at !== -1 && parts <= max; at = bytes.indexOf(AMPERSAND, at + 1)) parts += 1
  return { parts, headers: 0 }
}

const AMPERSAND = 0x26

/** As a reader goes through them: a delimiter, headers up to an empty line, content up to the next delimiter. */
function countParts(bytes: Uint8Array, boundary: string, max: number): PartCounts {
  const delimiter = toBytes(`\r\n--${boundary}`)
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

const EMPTY_LINE = toBytes('\r\n\r\n')

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

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
