import type { JsonSchema } from '../schema/json-schema.ts'

/** A reference within the document. */
export interface Ref {
  readonly $ref: string
}

/** The schemas of a body, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

/** A response. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, Ref>>
  readonly content?: Content
}

/** The headers that any response can have. */
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const

/** Returns references to header components. */
export function headerRefs(...names: readonly string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
