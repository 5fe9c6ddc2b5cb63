import type { Reply } from '../http/reply.ts'
import type { BodyChunk } from '../http/reply-stream.ts'

/** A reply with a complete body. */
export interface BufferedReply extends Pick<Reply, 'status' | 'headers'> {
  body: BodyChunk | null
}

interface StoredHead extends Pick<Reply, 'status' | 'headers'> {
  /** The encoding of the body, or `none` if there is no body. */
  readonly encoding: 'text' | 'base64' | 'none'
}

/**
 * The headers that are not stored, because they belong to one request or connection and every response gets new ones.
 * Cookies are credentials, so they are neither stored nor sent again.
 */
const UNSTORED_HEADERS: ReadonlySet<string> = new Set([
  'set-cookie',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'date',
  'age',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/** Serializes a reply for storage: a line of JSON, then the body. */
export function serializeReply({ status, headers, body }: BufferedReply): string {
  const stored = Object.fromEntries(Object.entries(headers).filter(([name]) => !UNSTORED_HEADERS.has(name)))
  const [encoding, text] = encodeBody(body)
  return `${JSON.stringify({ status, headers: stored, encoding } satisfies StoredHead)}\n${text}`
}

/** Parses a stored reply. */
export function parseStoredReply(stored: string): BufferedReply {
  const end = stored.indexOf('\n')
  const { encoding, ...head } = JSON.parse(stored.slice(0, end)) as StoredHead
  const text = stored.slice(end + 1)
  if (encoding !== 'base64') return { ...head, body: encoding === 'text' ? text : null }
  return { ...head, body: Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) }
}

/** Joins the chunks of a body. */
export function joinChunks(pieces: readonly BodyChunk[]): BodyChunk {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  const encoder = new TextEncoder()
  const parts = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function encodeBody(body: BodyChunk | null): [StoredHead['encoding'], string] {
  if (body === null) return ['none', '']
  if (typeof body === 'string') return ['text', body]
  try {
    // Valid UTF-8 is stored as text, which is shorter than Base64 and encodes to the same bytes.
    return ['text', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)]
  } catch {
    return ['base64', toBase64(body)] // the body is not valid UTF-8
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // Converted in chunks, since the number of arguments in a call is limited.
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}
