import { createTrust } from '@sdk/server'

/** A path below which routes can live. */
export function assertPath(path: string, name: string): string {
  if (typeof path !== 'string' || !/^(\/(?!\.+(\/|$))[\w.~-]+)+$/.test(path))
    throw new TypeError(`${name} of createAuth is a path such as '/api/auth', and got ${JSON.stringify(path)}`)
  return path
}

/** An exact origin, as browsers write it. */
export function assertExactOrigin(value: string, name: string): string {
  if (!isOrigin(value))
    throw new TypeError(
      `${name} of createAuth takes exact origins such as 'https://app.example.com', without path or wildcard, and got ${JSON.stringify(value)}`,
    )
  return new URL(value).origin
}

/** Is it one that `assertOrigin` takes? */
export function isOrigin(value: string): boolean {
  return /^https?:\/\/[^*?]+$/.test(value) && URL.canParse(value) && new URL(value).href === `${new URL(value).origin}/`
}

/** Exact origins. A pattern would trust whoever registers a name that fits it. */
export function assertExactOrigins(origins: readonly string[]): readonly string[] {
  return assertList(origins, 'trustedOrigins').map((origin) => assertExactOrigin(origin, 'trustedOrigins'))
}

/** Addresses and networks. */
export function assertProxies(networks: readonly string[]): readonly string[] {
  createTrust(assertList(networks, 'trustedProxies'))
  return networks
}

/** A time in ms, 0 for none. */
export function assertDuration(ms: number, name: string): number {
  if (!Number.isFinite(ms) || ms < 0)
    throw new TypeError(`${name} of createAuth is a number of milliseconds, 0 or more, and got ${String(ms)}`)
  return ms
}

/** A list, also where no compiler looked. */
export function assertList<T>(list: readonly T[], name: string): readonly T[] {
  const isList: boolean = Array.isArray(list)
  if (isList) return list
  throw new TypeError(`${name} of createAuth is a list, and got ${JSON.stringify(list)}`)
}
