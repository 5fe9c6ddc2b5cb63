import type { Reply } from '../http/reply.ts'
import type { BodyChunk } from '../http/reply-stream.ts'

/** An answer whose body is all there. */
export interface BufferedReply extends Pick<Reply, 'status' | 'headers'> {
  body: BodyChunk | null
}

interface StoredHead extends Pick<Reply, 'status' | 'headers'> {
  /** How the body is written; `none`: there is none. */
  readonly encoding: 'text' | 'base64' | 'none'
}

/**
 * Headers that are not kept: they belong to one exchange or one connection, and every answer gets its own.
 * Cookies are credentials: they are not left lying in a store, and not handed out a second time.
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

/** An answer as a text that can be kept: a line of JSON, then the body. */
export function serializeReply({ status, headers, body }: BufferedReply): string {
  const stored = Object.fromEntries(Object.entries(headers).filter(([name]) => !UNSTORED_HEADERS.has(name)))
  const [encoding, text] = encodeBody(body)
  return `${JSON.stringify({ status, headers: stored, encoding } satisfies StoredHead)}\n${text}`
}

/** The answer that was kept. */
export function parseStoredReply(stored: string): BufferedReply {
  const end = stored.indexOf('\n')
  const { encoding, ...head } = JSON.parse(stored.slice(0, end)) as StoredHead
  const text = stored.slice(end + 1)
  if (encoding !== 'base64') return { ...head, body: encoding === 'text' ? text : null }
  return { ...head, body: Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) }
}

/** Pieces of a body as one. */
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
    // Bytes that are UTF-8 are shorter as text, and give the same bytes again.
    return ['text', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)]
  } catch {
    return ['base64', toBase64(body)] // not UTF-8
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // In steps, since arguments of a call are limited.
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}
