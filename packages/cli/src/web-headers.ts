/** Headers by name. Null removes a default header. */
export type WebHeaders = Readonly<Record<string, string | null>>

/**
 * The default headers for every page and file in a web app. The content security policy does not restrict scripts and
 * images, since their sources are unknown and a restriction could break the app.
 */
const DEFAULT_WEB_HEADERS: WebHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  // Prevents clickjacking by pages from other origins that frame the app.
  'content-security-policy': "frame-ancestors 'self'; base-uri 'self'",
  'x-frame-options': 'SAMEORIGIN',
}

/** Headers that the server sets itself for each response. */
const MANAGED_HEADERS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'transfer-encoding',
  'vary',
])

/** Returns a web app's headers: the defaults, overridden by its own headers. */
export function toWebHeaders(own: WebHeaders = {}): Record<string, string> {
  const whole = new Map(Object.entries(DEFAULT_WEB_HEADERS))
  for (const [name, value] of Object.entries(own)) whole.set(name.toLowerCase(), value)
  return Object.fromEntries([...whole].filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Returns whether an object contains valid headers for a web app. */
export function isWebHeaders(value: object): value is WebHeaders {
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w-]+$/.test(name) && !MANAGED_HEADERS.has(name.toLowerCase()) && (text === null || isHeaderText(text)),
  )
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7E]+$/.test(value)
}
