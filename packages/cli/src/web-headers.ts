/** Headers by name; null: none of that name. */
export type WebHeaders = Readonly<Record<string, string | null>>

/**
 * What every page and file of a web app says. Where scripts and pictures come from is for the app to say: a policy that
 * forbids what it does not know would break as many apps as it protects.
 */
const DEFAULTS: WebHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  // A page of somebody else could lay ours below its own, and have it clicked on.
  'content-security-policy': "frame-ancestors 'self'; base-uri 'self'",
  'x-frame-options': 'SAMEORIGIN',
}

/** Those that the server makes itself, for each file and caller. */
const OURS: ReadonlySet<string> = new Set([
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
  const whole = new Map(Object.entries(DEFAULTS))
  for (const [name, value] of Object.entries(own)) whole.set(name.toLowerCase(), value)
  return Object.fromEntries([...whole].filter((entry): entry is [string, string] => entry[1] !== null))
}

/** May a web app have these headers? */
export function isWebHeaders(value: object): value is WebHeaders {
  return Object.entries(value).every(
    ([name, text]) => /^[\w-]+$/.test(name) && !OURS.has(name.toLowerCase()) && (text === null || isHeaderText(text)),
  )
}

/** What can stand in one line. */
function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7E]+$/.test(value)
}
