import { hashKey } from '@tanstack/react-query'
import type { RouteName } from '@sdk/protocol'

/** The routes that are fetched automatically: all `GET` and `HEAD` routes. */
export type QueryRoute = string extends RouteName ? string : Extract<RouteName, FetchedRoute>

/** A route string with a method that is fetched automatically. */
export type FetchedRoute = `${'GET' | 'HEAD'} ${string}`

/** Converts a value to plain JSON. A `bigint`, which JSON does not support, becomes a string. */
export function toPlainJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))) as T
}

/** Returns whether the request in a query key matches the params and query of a filter. */
export function matchesRequest(request: unknown, filter: object): boolean {
  return hashKey([{ ...(request as object), ...toPlainJson(filter) }]) === hashKey([request])
}
