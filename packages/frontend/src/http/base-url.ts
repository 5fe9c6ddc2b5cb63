let hasWarned = false

/**
 * Resolves a base URL against the page's origin, or `SDK_BASE_URL` if there is none. The default is that origin itself.
 */
export function resolveBaseUrl(baseUrl?: string): string {
  const { location, process } = globalThis as {
    location?: { origin: string }
    process?: { env?: Record<string, string | undefined> }
  }
  // Pages without a host, such as file: and about:, have the origin "null".
  const page = location?.origin === 'null' ? undefined : location?.origin
  const origin = page ?? process?.env?.['SDK_BASE_URL']
  const base = baseUrl ?? origin ?? ''
  const url = URL.canParse(base, origin) ? new URL(base, origin) : null
  // `localhost:3000` is parsed as a URL with the scheme `localhost:` and without a host.
  if (!url?.host)
    throw new TypeError(`a base URL must be like https://x.dev, got "${base}": pass { baseUrl } or set SDK_BASE_URL`)
  // Vite sets `DEV` in development; production builds drop this block.
  if ((import.meta as { env?: { DEV?: boolean } }).env?.DEV && !hasWarned && baseUrl && url.href === `${page}/`) {
    hasWarned = true
    // oxlint-disable-next-line no-console -- a hint for the developer
    console.warn(`baseUrl "${baseUrl}" is the default: remove it`)
  }
  return url.href
}

/** Converts an HTTP URL to a WebSocket URL. */
export function toSocketUrl(url: string): string {
  return url.replace(/^http/i, 'ws')
}
