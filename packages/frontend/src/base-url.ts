/**
 * Where requests go, read when one is made: the given base, else the page's own origin, else `SDK_BASE_URL`.
 * A relative base stands on the page's origin.
 */
export function resolveBaseUrl(baseUrl?: string): string {
  if (baseUrl !== undefined && URL.canParse(baseUrl)) return baseUrl
  const origin = pageOrigin() ?? environmentBase()
  if (origin === undefined)
    throw new TypeError('no base URL: outside a browser pass { baseUrl }, or set the environment variable SDK_BASE_URL')
  return baseUrl === undefined ? origin : new URL(baseUrl, origin).href
}

/** The URL of a socket that stands where this HTTP URL stands. */
export function toSocketUrl(url: string): string {
  return url.replace(/^http/i, 'ws')
}

function pageOrigin(): string | undefined {
  const origin = globalThis.location?.origin
  // Pages without a host, as file: and about:, have the origin "null".
  return origin === 'null' ? undefined : origin
}

function environmentBase(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.['SDK_BASE_URL']
}
