import { MAX_DETAILS } from '@sdk/protocol'
import type { JsonSchema } from './json-schema.ts'
import type { Parameter } from './parameters.ts'
import { COMMON_HEADERS, headers, type OpenApiResponse } from './responses.ts'
import { MAX_RESPONSE, toWireSchema, type Place } from './wire-schema.ts'

/** The parts of the document that others point to. */
export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** All components: those of every document, and the schemas of this one. */
export function toComponents(schemas: Readonly<Record<string, JsonSchema>>, hasAuth: boolean): Components {
  return {
    schemas: { Error: toWireSchema(ERROR, ANSWER), Problem: toWireSchema(PROBLEM, ANSWER), ...schemas },
    responses: { Error: ERROR_RESPONSE },
    parameters: { 'Idempotency-Key': IDEMPOTENCY_KEY },
    headers: HEADERS,
    ...(hasAuth && { securitySchemes: SECURITY_SCHEMES }),
  }
}

const ANSWER: Place = { side: 'response', size: MAX_RESPONSE }

const CODE: JsonSchema = { type: 'string', maxLength: 63, pattern: '^[A-Z][A-Z0-9_]*$' }

const DETAIL: JsonSchema = {
  type: 'object',
  description: 'One fault; further members tell more, such as `min` and `max`.',
  required: ['code', 'message'],
  properties: {
    code: CODE,
    message: { type: 'string' },
    source: { type: 'string', enum: ['body', 'query', 'path', 'header', 'cookie'] },
    pointer: { type: 'string', description: 'A JSON Pointer into the body; empty: the whole.' },
    name: { type: 'string', description: 'The parameter, header or cookie.' },
  },
  additionalProperties: true,
}

const ERROR: JsonSchema = {
  type: 'object',
  description: 'What every failed request is answered with. Branch on the code, then on the status.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: CODE,
        message: { type: 'string', description: 'English, for people.' },
        details: { type: 'array', maxItems: MAX_DETAILS, items: DETAIL },
      },
    },
  },
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'The same error as RFC 9457 has it, for those who ask for application/problem+json.',
  allOf: [{ $ref: '#/components/schemas/Error' }],
  required: ['title', 'status'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
  },
}

const ERROR_RESPONSE: OpenApiResponse = {
  description: 'What went wrong',
  headers: headers(...COMMON_HEADERS, 'Retry-After'),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  },
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a repeated request safe: the same key within a day gets the first answer again.',
  // 255 characters, and two quotes if it comes with them.
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]([ -~]*[!-~])?$' },
}

const HEADERS: Components['headers'] = {
  'X-Request-Id': {
    description: 'Names this request in the logs.',
    schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' },
  },
  RateLimit: {
    description: 'What is left of each quota: `"default";r=599;t=1`.',
    schema: { type: 'string', maxLength: 4_096, pattern: '^[ -~]*$' },
  },
  'RateLimit-Policy': {
    description: 'The quotas: `"default";q=600;w=60`.',
    schema: { type: 'string', maxLength: 4_096, pattern: '^[ -~]*$' },
  },
  'Retry-After': {
    description: 'Seconds after which a retry makes sense.',
    schema: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
  },
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A short-lived access token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sdk.session_token',
    description: 'The session of a browser; over https its name begins with `__Secure-`.',
  },
}
