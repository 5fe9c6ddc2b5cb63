/** Headers by name; null removes one. */
export type WebHeaders = Readonly<Record<string, string | null>>

/**
 * Headers of every page and file of a web app. The policy does not restrict scripts and images: their sources are
 * unknown, and a restriction could break the app.
 */
const DEFAULT_WEB_HEADERS: WebHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  // Prevents clickjacking by a foreign page that frames the app.
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

/** Returns the headers of a web app: the defaults, overridden by its own. */
export function toWebHeaders(own: WebHeaders = {}): Record<string, string> {
  const whole = new Map(Object.entries(DEFAULT_WEB_HEADERS))
  for (const [name, value] of Object.entries(own)) whole.set(name.toLowerCase(), value)
  return Object.fromEntries([...whole].filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Returns whether the headers of a web app are valid. */
export function isWebHeaders(value: object): value is WebHeaders {
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w-]+$/.test(name) && !MANAGED_HEADERS.has(name.toLowerCase()) && (text === null || isHeaderText(text)),
  )
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7E]+$/.test(value)
}
