import { CONTENT_TYPE } from '@sdk/protocol'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import type { EndpointSchemas } from './endpoint-schemas.ts'
import { RESPONSE_CONTEXT, toWireSchema } from '../schema/wire-schema.ts'

/** A pointer into the document. */
export interface Ref {
  readonly $ref: string
}

/** What a body looks like, by its media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

/** One answer. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, Ref>>
  readonly content?: Content
}

/** What an endpoint may answer: its success, and the one error that all share. */
export function toResponses(
  endpoint: EndpointInfo,
  schemas: EndpointSchemas,
): Readonly<Record<string, OpenApiResponse | Ref>> {
  const content = endpoint.method === 'HEAD' ? {} : { content: contentOf(endpoint, schemas) }
  const success = { description: 'The answer', headers: headerRefs(...COMMON_HEADERS), ...content }
  return { 200: success, default: { $ref: '#/components/responses/Error' } }
}

/** The headers that every answer may have. */
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const

/** Pointers to headers that stand in the components. */
export function headerRefs(...names: readonly string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function contentOf(endpoint: EndpointInfo, schemas: EndpointSchemas): Content {
  const { content, handler } = endpoint.definition
  if (content !== undefined) return { [content]: content.startsWith('text/') ? { schema: TEXT_SCHEMA } : {} }
  const schema = schemas.of('output', {})
  return {
    // Any handler may return a stream; only of a generator it is known that it does.
    ...(!isGenerator(handler) && { 'application/json': { schema } }),
    [CONTENT_TYPE.ndjson]: { schema: chunks(schema, 'a line') },
    [CONTENT_TYPE.sse]: { schema: chunks(schema, 'an event, in its data') },
  }
}

const TEXT_SCHEMA = toWireSchema({ type: 'string' }, RESPONSE_CONTEXT)

/** OpenAPI 3.1 has no word for streams; that they are lists of their chunks is how 3.2 reads them. */
function chunks(chunk: JsonSchema, where: string): JsonSchema {
  return {
    type: 'array',
    description: `One JSON value ${where}. A stream that fails ends with the error.`,
    items: Object.keys(chunk).length === 0 ? {} : { anyOf: [chunk, { $ref: '#/components/schemas/Error' }] },
    // A stream has no end of its own; this is the largest number that all tools read.
    maxItems: 2_147_483_647,
  }
}

/** Only a generator function tells before it is called that it streams. */
function isGenerator(handler: unknown): boolean {
  return /^\[object (Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(handler))
}
