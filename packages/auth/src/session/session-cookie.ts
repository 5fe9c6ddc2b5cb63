import { createHmac, timingSafeEqual } from 'node:crypto'

/** The length of a SHA-256 in base64. */
const SIGNATURE_LENGTH = 44

/** Until then, in ms since 1970, cookies of the release candidate are read; their names began with `__Secure-`. */
const OLD_NAMES_UNTIL = Date.UTC(2027, 0, 1)

/** The cookies of a request, those of the release candidate under the names that they have now; null if missing. */
export function readCookieHeader(
  headers: { get(name: string): string | null },
  now: number = Date.now(),
): string | null {
  const header = headers.get('cookie')
  if (!header?.includes('__Secure-sdk.') || header.includes('__Host-sdk.') || now >= OLD_NAMES_UNTIL) return header
  return header.replaceAll('__Secure-sdk.', '__Host-sdk.')
}

/** The value of a cookie that the library signed with this secret; null where there is none, or it was not. */
export function readSignedCookie(header: string | null, name: string, secret: string): string | null {
  const signed = header === null ? null : findCookie(header, name)
  return signed === null ? null : verifySigned(signed, secret)
}

/** What the library signed with this secret; null where it was not. */
export function verifySigned(signed: string, secret: string): string | null {
  const dot = signed.lastIndexOf('.')
  const value = signed.slice(0, dot)
  const signature = Buffer.from(signed.slice(dot + 1))
  if (dot < 1 || signature.length !== SIGNATURE_LENGTH) return null
  const expected = createHmac('sha256', secret).update(value).digest('base64')
  return timingSafeEqual(signature, Buffer.from(expected)) ? value : null
}

/** Is a cookie of this name there more than once? Then one of them was set by somebody else, and nobody knows which. */
export function isAmbiguous(header: string, name: string): boolean {
  return findCookieValues(header, name).length > 1
}

/** The value of a cookie that is there once, signed or not; null where there is none, or two. */
export function findCookie(header: string, name: string): string | null {
  const [value, ...others] = findCookieValues(header, name)
  return value === undefined || others.length > 0 ? null : decodeCookieValue(value)
}

function findCookieValues(header: string, name: string): string[] {
  const values: string[] = []
  let equals = header.indexOf('=')
  // Every cookie has an equals sign; one that is ahead is not searched for again.
  for (let start = 0; equals !== -1 && start < header.length;) {
    const semicolon = header.indexOf(';', start)
    const end = semicolon === -1 ? header.length : semicolon
    if (equals < start) equals = header.indexOf('=', start)
    if (equals !== -1 && equals < end && header.slice(start, equals).trim() === name)
      values.push(header.slice(equals + 1, end).trim())
    start = end + 1
  }
  return values
}

function decodeCookieValue(text: string): string {
  const value = text.startsWith('"') ? text.slice(1, -1) : text
  try {
    return value.includes('%') ? decodeURIComponent(value) : value
  } catch {
    return value // no escape that we wrote: its signature will not fit
  }
}
