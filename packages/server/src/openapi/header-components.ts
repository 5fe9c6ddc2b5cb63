import type { JsonSchema } from '../schema/json-schema.ts'
import type { Parameter } from './parameters.ts'

/** A response header. */
export interface ResponseHeader {
  readonly description: string
  readonly schema: JsonSchema
}

function textHeader(description: string, { maxLength = 4_096, pattern = '^[ -~]*$' } = {}): ResponseHeader {
  return { description, schema: { type: 'string', maxLength, pattern } }
}

const ENTITY_TAGS_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 4_096,
  pattern: String.raw`^\s*(\*|(W/)?"[!#-~]*"(\s*,\s*(W/)?"[!#-~]*")*)\s*$`,
}

/** The response headers, by name. */
export const RESPONSE_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': {
    description: 'The id of this request, which also appears in the logs.',
    schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' },
  },
  RateLimit: textHeader('The remaining quotas, such as `"default";r=599;t=1`.'),
  'RateLimit-Policy': textHeader('The quotas, such as `"default";q=600;w=60`.'),
  'Retry-After': {
    description: 'The number of seconds to wait before retrying.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 },
  },
  ETag: textHeader('Identifies this version, for `If-Match` and `If-None-Match`.', { pattern: '^(W/)?"[!#-~]*"$' }),
  'Last-Modified': textHeader(
    'The time of the last change, for `If-Unmodified-Since` and `If-Modified-Since`. ' +
      'Omitted during the second in which the change was made.',
    {
      maxLength: 29,
      pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
    },
  ),
  Location: textHeader('The path of the new item.', { pattern: '^/[!-~]*$' }),
  Link: textHeader('Links to the `next` and `prev` pages, and to the successor of a deprecated version.'),
  'Cache-Control': textHeader('`private, no-cache` for successful reads, otherwise `no-store`.', { maxLength: 128 }),
  Vary: textHeader('The request headers that the response depends on.', { maxLength: 256 }),
  'Idempotent-Replayed': textHeader('Present if this is the stored response to an earlier request with the same key.', {
    maxLength: 4,
    pattern: '^true$',
  }),
  'Run-Id': textHeader('The id of the run.', { maxLength: 32, pattern: '^[0-9a-f]{32}$' }),
  'Run-Position': textHeader(
    'The position of the first chunk. Discard any chunks already received from that position onward.',
    {
      maxLength: 32,
      pattern: '^[0-9]+[.][0-9]+$',
    },
  ),
  Deprecation: textHeader('The time from which this version is deprecated.', { maxLength: 16, pattern: '^@-?[0-9]+$' }),
  Sunset: textHeader('The time after which this version is no longer available.', { maxLength: 29 }),
  'WWW-Authenticate': textHeader('The supported authentication schemes.'),
  Accept: textHeader('The media types supported for request bodies.', { maxLength: 256 }),
  'Accept-Patch': textHeader('The media types supported for patches.', { maxLength: 256 }),
  'Accept-Encoding': textHeader('The encodings supported for request bodies.', { maxLength: 64 }),
}

/** The request headers shared by several operations. */
export const HEADER_PARAMETERS: Readonly<Record<string, Parameter>> = {
  'Idempotency-Key': toParameter(
    'Idempotency-Key',
    'Makes retries safe: within a day, a request with the same key gets the first response again.',
    // 255 characters and two optional quotes.
    { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]([ -~]*[!-~])?$' },
  ),
  'Run-Thread': toParameter(
    'Run-Thread',
    'The thread of the run. If the thread has an unfinished run, the response is 409, unless the agent queues or replaces runs.',
    {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[!-~]+$',
    },
  ),
  Prefer: toParameter(
    'Prefer',
    'With `respond-async`, the response is 202. With `wait=10`, it is 202 if a result takes longer than 10 s.',
    {
      type: 'string',
      maxLength: 256,
    },
  ),
  'If-Match': toParameter('If-Match', 'The `ETag` that the item must still have. Otherwise the response is 412.'),
  'If-Match-Required': {
    ...toParameter('If-Match', 'The `ETag` of the version to change. If the item has changed, the response is 412.'),
    required: true,
  },
  'If-None-Match': toParameter(
    'If-None-Match',
    'The `ETag` of the version that the client has. If it is current, the response is 304.',
  ),
}

function toParameter(name: string, description: string, schema: JsonSchema = ENTITY_TAGS_SCHEMA): Parameter {
  return { name, in: 'header', required: false, description, schema }
}
