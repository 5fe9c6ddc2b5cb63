import { CONTENT_TYPE } from '@sdk/protocol'
import { BODILESS_METHODS } from '../http/body.ts'
import { KEYED_METHODS } from '../idempotency/idempotency-key.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import type { EndpointSchemas } from './endpoint-schemas.ts'
import { errorsOf } from './error-responses.ts'
import { COMMON_HEADERS, headerRefs, type Content, type OpenApiResponse, type Ref } from './response-object.ts'
import { RESPONSE_CONTEXT, toWireSchema } from '../schema/wire-schema.ts'

/** Returns the responses for an endpoint: the success response, the common errors and the default error. */
export function toResponses(
  endpoint: EndpointInfo,
  schemas: EndpointSchemas,
): Readonly<Record<string, OpenApiResponse | Ref>> {
  const content = contentOf(endpoint, schemas)
  const { status = 200 } = endpoint.definition
  const isDurable = endpoint.definition.durable !== undefined
  const headers = headerRefs(...COMMON_HEADERS, ...(isDurable ? ['Run-Id', 'Run-Position'] : []))
  const success = { description: describeStatus(status), headers, ...content }
  return {
    [status]: success,
    ...(isDurable && { 202: ACCEPTED, ...errorsOf(410) }),
    ...errorsOf(
      ...COMMON_ERRORS,
      ...(BODILESS_METHODS.has(endpoint.method) ? [] : BODY_ERRORS),
      ...(KEYED_METHODS.has(endpoint.method) ? KEY_ERRORS : []),
    ),
  }
}

/** The response for a run that has not ended. */
const ACCEPTED: OpenApiResponse = {
  description: 'The run has not ended yet. Its state is available at `Location`.',
  headers: headerRefs(...COMMON_HEADERS, 'Run-Id', 'Location'),
  content: { 'application/json': { schema: toWireSchema({ type: 'object' }, RESPONSE_CONTEXT) } },
}

const COMMON_ERRORS = [400, 401, 403, 406, 429, 500] as const
const BODY_ERRORS = [413, 415] as const
/** The errors of a request with an `Idempotency-Key`. */
const KEY_ERRORS = [409, 422] as const

function describeStatus(status: number): string {
  if (status === 204) return 'No content'
  return status >= 300 ? 'Redirect' : 'Success'
}

/**
 * Returns the content of a success response. Redirects and 204 have no content. A stream must be declared, or its
 * handler must be a generator function.
 */
function contentOf({ method, definition }: EndpointInfo, schemas: EndpointSchemas): { content?: Content } {
  const { content, handler, status = 200, stream = isGenerator(handler) } = definition
  if (method === 'HEAD' || status === 204) return {}
  if (content !== undefined)
    return { content: { [content]: content.startsWith('text/') ? { schema: TEXT_SCHEMA } : {} } }
  if (status >= 300) return {}
  const schema = schemas.of('output', {})
  if (!stream) return { content: { 'application/json': { schema } } }
  return {
    content: {
      [CONTENT_TYPE.ndjson]: { schema: chunks(schema, 'per line') },
      [CONTENT_TYPE.sse]: { schema: chunks(schema, 'in the data of each event') },
    },
  }
}

const TEXT_SCHEMA = toWireSchema({ type: 'string' }, RESPONSE_CONTEXT)

/** Describes a stream as an array of chunks, as in OpenAPI 3.2, because OpenAPI 3.1 does not support streams. */
function chunks(chunk: JsonSchema, where: string): JsonSchema {
  return {
    type: 'array',
    description: `One JSON value ${where}. A failed stream ends with the error.`,
    items: Object.keys(chunk).length === 0 ? {} : { anyOf: [chunk, { $ref: '#/components/schemas/Error' }] },
    // A stream is unbounded; this is the largest number that all tools support.
    maxItems: 2_147_483_647,
  }
}

/** Returns whether a handler is a generator function. Whether other functions stream is not known in advance. */
function isGenerator(handler: unknown): boolean {
  return /^\[object (Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(handler))
}
