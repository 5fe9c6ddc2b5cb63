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

/** The response headers. */
export const RESPONSE_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': {
    description: 'Names this request in the logs.',
    schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' },
  },
  RateLimit: textHeader('What is left of each quota: `"default";r=599;t=1`.'),
  'RateLimit-Policy': textHeader('The quotas: `"default";q=600;w=60`.'),
  'Retry-After': {
    description: 'Seconds after which a retry makes sense.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 },
  },
  ETag: textHeader('Names this state, for `If-Match` and `If-None-Match`.', { pattern: '^(W/)?"[!#-~]*"$' }),
  'Last-Modified': textHeader(
    'When it changed last, for `If-Unmodified-Since` and `If-Modified-Since`; absent within that second.',
    {
      maxLength: 29,
      pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
    },
  ),
  Location: textHeader('Where the new item is.', { pattern: '^/[!-~]*$' }),
  Link: textHeader('Neighbours of a page, `next` and `prev`; and what comes after a version that ends.'),
  'Cache-Control': textHeader('`private, no-cache` on what is read, `no-store` on all else.', { maxLength: 128 }),
  Vary: textHeader('The request headers that the answer depends on.', { maxLength: 256 }),
  'Idempotent-Replayed': textHeader('Is this the answer of an earlier request with the same key?', {
    maxLength: 4,
    pattern: '^true$',
  }),
  Deprecation: textHeader('Since when callers should use something else.', { maxLength: 16, pattern: '^@-?[0-9]+$' }),
  Sunset: textHeader('When this version ends.', { maxLength: 29 }),
  'WWW-Authenticate': textHeader('How to sign in.'),
  Accept: textHeader('The media types that a body may have.', { maxLength: 256 }),
  'Accept-Patch': textHeader('The media types that a patch may have.', { maxLength: 256 }),
  'Accept-Encoding': textHeader('The encodings that a body may have.', { maxLength: 64 }),
}

/** The request headers shared by several operations. */
export const HEADER_PARAMETERS: Readonly<Record<string, Parameter>> = {
  'Idempotency-Key': toParameter(
    'Idempotency-Key',
    'Makes a repeated request safe: the same key within a day gets the first answer again.',
    // 255 characters and two optional quotes.
    { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]([ -~]*[!-~])?$' },
  ),
  'If-Match': toParameter('If-Match', 'Only if the item is still in this state: its `ETag`. Otherwise 412.'),
  'If-Match-Required': {
    ...toParameter(
      'If-Match',
      'The state that is meant: the `ETag` of the item. If that is not the state any more: 412.',
    ),
    required: true,
  },
  'If-None-Match': toParameter(
    'If-None-Match',
    'Only if there is another state than this: the `ETag` of what is known. Otherwise 304.',
  ),
}

function toParameter(name: string, description: string, schema: JsonSchema = ENTITY_TAGS_SCHEMA): Parameter {
  return { name, in: 'header', required: false, description, schema }
}
