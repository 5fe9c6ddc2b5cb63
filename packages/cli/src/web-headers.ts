/** Headers by name; null removes one. */
export type WebHeaders = Readonly<Record<string, string | null>>

/**
 * Headers of every page and file of a web app. The policy does not restrict scripts and images: we do not know where
 * an app loads them from, and would break it.
 */
const DEFAULT_WEB_HEADERS: WebHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  // Against clickjacking: a foreign page could show ours in a frame below its own.
  'content-security-policy': "frame-ancestors 'self'; base-uri 'self'",
  'x-frame-options': 'SAMEORIGIN',
}

/** Headers that the server sets itself, for each file and caller. */
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

/** The headers of a web app: the defaults, and over them its own. */
export function toWebHeaders(own: WebHeaders = {}): Record<string, string> {
  const whole = new Map(Object.entries(DEFAULT_WEB_HEADERS))
  for (const [name, value] of Object.entries(own)) whole.set(name.toLowerCase(), value)
  return Object.fromEntries([...whole].filter((entry): entry is [string, string] => entry[1] !== null))
}

/** May a web app have these headers? */
export function isWebHeaders(value: object): value is WebHeaders {
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w-]+$/.test(name) && !MANAGED_HEADERS.has(name.toLowerCase()) && (text === null || isHeaderText(text)),
  )
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7E]+$/.test(value)
}
