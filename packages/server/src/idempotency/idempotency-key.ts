import { invalidRequest } from '@sdk/protocol'

/** The methods that support an `Idempotency-Key`. All others ignore the header. */
export const KEYED_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Parses the `Idempotency-Key` header, with or without quotes. Returns null if the header is missing. */
export function parseIdempotencyKey(header: string | null): string | null {
  if (header === null) return null
  const key = header.startsWith('"') ? unquote(header) : header
  if (key !== null && /^[\x20-\x7E]{1,255}$/.test(key)) return key
  const message = 'must have 1 to 255 printable ASCII characters, with or without quotes'
  throw invalidRequest([{ code: 'INVALID_FORMAT', message, source: 'header', name: 'Idempotency-Key' }])
}

/** Unquotes an RFC 8941 string, in which quotes and backslashes are escaped with a backslash. */
function unquote(text: string): string | null {
  return /^"(?:[^"\\]|\\["\\])*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : null
}
