import { invalidRequest } from '@sdk/protocol'

/** The key that a request's `Idempotency-Key` header says, in quotes or not; null where there is no header. */
export function parseIdempotencyKey(header: string | null): string | null {
  if (header === null) return null
  const key = header.startsWith('"') ? unquote(header) : header
  if (key !== null && /^[\x20-\x7E]{1,255}$/.test(key)) return key
  const message = 'must be 1 to 255 printable ASCII characters, in quotes or without'
  throw invalidRequest([{ code: 'INVALID_FORMAT', message, source: 'header', name: 'Idempotency-Key' }])
}

/** A string of RFC 8941: quotes and backslashes within have a backslash before them. */
function unquote(text: string): string | null {
  return /^"(?:[^"\\]|\\["\\])*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : null
}
