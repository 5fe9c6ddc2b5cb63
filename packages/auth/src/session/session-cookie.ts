import { createHmac, timingSafeEqual } from 'node:crypto'

/** The length of a SHA-256 hash in base64. */
const SIGNATURE_LENGTH = 44

/** The time until which `__Secure-` cookies from the release candidate are accepted, in ms since the Unix epoch. */
const OLD_NAMES_UNTIL = Date.UTC(2027, 0, 1)

/** Returns the request's cookie header, or null if it is missing. Cookies from the release candidate are renamed. */
export function readCookieHeader(
  headers: { get(name: string): string | null },
  now: number = Date.now(),
): string | null {
  const header = headers.get('cookie')
  if (!header?.includes('__Secure-sdk.') || header.includes('__Host-sdk.') || now >= OLD_NAMES_UNTIL) return header
  return header.replaceAll('__Secure-sdk.', '__Host-sdk.')
}

/** Returns the value of a signed cookie, or null if the cookie is missing or was not signed with this secret. */
export function readSignedCookie(header: string | null, name: string, secret: string): string | null {
  const signed = header === null ? null : findCookie(header, name)
  return signed === null ? null : verifySigned(signed, secret)
}

/** Returns the value that was signed with this secret, or null if the signature is invalid. */
export function verifySigned(signed: string, secret: string): string | null {
  const dot = signed.lastIndexOf('.')
  const value = signed.slice(0, dot)
  const signature = Buffer.from(signed.slice(dot + 1))
  if (dot < 1 || signature.length !== SIGNATURE_LENGTH) return null
  const expected = createHmac('sha256', secret).update(value).digest('base64')
  return timingSafeEqual(signature, Buffer.from(expected)) ? value : null
}

/** Returns whether there are several cookies with this name, one of which may have been set by another host. */
export function isAmbiguous(header: string, name: string): boolean {
  return findCookieValues(header, name).length > 1
}

/** Returns the value of a cookie, signed or not, or null if the cookie is missing or ambiguous. */
export function findCookie(header: string, name: string): string | null {
  const [value, ...others] = findCookieValues(header, name)
  return value === undefined || others.length > 0 ? null : decodeCookieValue(value)
}

function findCookieValues(header: string, name: string): string[] {
  const values: string[] = []
  let equals = header.indexOf('=')
  // Remembers the next equals sign, so that no part of the header is searched twice.
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
    return value // not written by this package, so the signature will not match
  }
}
