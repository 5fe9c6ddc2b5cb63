import { createTrust } from '@sdk/server'

/** Returns the path if routes can be mounted under it; throws otherwise. */
export function assertPath(path: string, name: string): string {
  if (typeof path !== 'string' || !/^(\/(?!\.+(\/|$))[\w.~-]+)+$/.test(path))
    throw new TypeError(`createAuth: ${name} must be a path such as '/api/auth', got ${JSON.stringify(path)}`)
  return path
}

/** Returns the origin as browsers serialize it. Throws if the value is not an exact origin. */
export function assertExactOrigin(value: string, name: string): string {
  if (!isOrigin(value))
    throw new TypeError(
      `createAuth: ${name} accepts only exact origins such as 'https://app.example.com', without a path or wildcard, got ${JSON.stringify(value)}`,
    )
  return new URL(value).origin
}

/** Returns whether the value is an exact http(s) origin. */
export function isOrigin(value: string): boolean {
  return /^https?:\/\/[^*?]+$/.test(value) && URL.canParse(value) && new URL(value).href === `${new URL(value).origin}/`
}

/** Checks `trustedOrigins`. Rejects patterns, because anyone could register a matching domain. */
export function assertExactOrigins(origins: readonly string[]): readonly string[] {
  return assertList(origins, 'trustedOrigins').map((origin) => assertExactOrigin(origin, 'trustedOrigins'))
}

/** Checks that `trustedProxies` contains only IP addresses and networks. */
export function assertProxies(networks: readonly string[]): readonly string[] {
  createTrust(assertList(networks, 'trustedProxies'))
  return networks
}

/** Checks that the value is a duration in ms, which may be 0. */
export function assertDuration(ms: number, name: string): number {
  if (!Number.isFinite(ms) || ms < 0)
    throw new TypeError(`createAuth: ${name} must be a number of milliseconds, 0 or more, got ${String(ms)}`)
  return ms
}

/** Checks that the value is an array, for callers without TypeScript. */
export function assertList<T>(list: readonly T[], name: string): readonly T[] {
  const isList: boolean = Array.isArray(list)
  if (isList) return list
  throw new TypeError(`createAuth: ${name} must be an array, got ${JSON.stringify(list)}`)
}
