import { hashKey } from '@tanstack/react-query'
import type { RouteName } from '@sdk/protocol'

/** The routes that are fetched by themselves: every `GET` and `HEAD`. */
export type QueryRoute = string extends RouteName ? string : Extract<RouteName, FetchedRoute>

/** A route string with a method that is fetched by itself. */
export type FetchedRoute = `${'GET' | 'HEAD'} ${string}`

/** Converts a value to plain JSON; a `bigint`, which JSON lacks, becomes text. */
export function toPlainJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))) as T
}

/** Returns whether a request, as query keys hold it, has these params and this query. */
export function matchesRequest(request: unknown, filter: object): boolean {
  return hashKey([{ ...(request as object), ...toPlainJson(filter) }]) === hashKey([request])
}
