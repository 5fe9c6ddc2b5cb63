import { createTrust } from '@sdk/server'

/** Returns the path if routes can be mounted below it, otherwise throws. */
export function assertPath(path: string, name: string): string {
  if (typeof path !== 'string' || !/^(\/(?!\.+(\/|$))[\w.~-]+)+$/.test(path))
    throw new TypeError(`createAuth: ${name} must be a path such as '/api/auth', got ${JSON.stringify(path)}`)
  return path
}

/** Returns an exact origin, serialized as browsers do, or throws. */
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

/** Checks `trustedOrigins`. Patterns are rejected: anyone could register a domain that matches. */
export function assertExactOrigins(origins: readonly string[]): readonly string[] {
  return assertList(origins, 'trustedOrigins').map((origin) => assertExactOrigin(origin, 'trustedOrigins'))
}

/** Checks `trustedProxies`: IP addresses and networks. */
export function assertProxies(networks: readonly string[]): readonly string[] {
  createTrust(assertList(networks, 'trustedProxies'))
  return networks
}

/** Checks a duration in ms; 0 is allowed. */
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
