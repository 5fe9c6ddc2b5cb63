import { MAX_DETAILS, PAGE_LIMIT } from '@sdk/protocol'
import { toErrorResponses } from './error-responses.ts'
import { HEADER_PARAMETERS, RESPONSE_HEADERS, type ResponseHeader } from './header-components.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Parameter } from './parameters.ts'
import type { OpenApiResponse } from './response-object.ts'
import { RESPONSE_CONTEXT, toWireSchema } from '../schema/wire-schema.ts'

/** The reusable components of the document. */
export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly headers: Readonly<Record<string, ResponseHeader>>
  readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Returns the common components and schemas that these paths reference. */
export function toComponents(
  paths: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
  { hasAuth, hasEnvelope }: { hasAuth: boolean; hasEnvelope: boolean },
): Components {
  const all: Omit<Components, 'securitySchemes'> = {
    schemas: { ...SYSTEM_SCHEMAS, ...(!hasEnvelope && { Error: STREAM_ERROR }), ...schemas },
    responses: toErrorResponses(hasEnvelope),
    parameters: HEADER_PARAMETERS,
    headers: RESPONSE_HEADERS,
  }
  return { ...onlyUsed(all, paths), ...(hasAuth && { securitySchemes: SECURITY_SCHEMES }) }
}

/** Returns only the referenced components, because tools warn about unused ones. */
function onlyUsed<All extends object>(all: All, paths: unknown): All {
  const used = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, group = '', name = ''] of JSON.stringify(part).matchAll(POINTER)) {
      const place = `${group}/${name}`
      if (used.has(place)) continue
      used.add(place)
      visit(Reflect.get(Object(Reflect.get(all, group)), name) ?? null)
    }
  }
  visit(paths)
  const groups = Object.entries(all).map(([group, parts]: [string, object]) => {
    const kept = Object.entries(parts).filter(([name]) => used.has(`${group}/${name}`))
    return [group, Object.fromEntries(kept)]
  })
  return Object.fromEntries(groups) as All
}

const POINTER = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g

const CODE: JsonSchema = { type: 'string', maxLength: 63, pattern: '^[A-Z][A-Z0-9_]*$' }

const DETAIL: JsonSchema = {
  type: 'object',
  description: 'An issue. It may have additional members, such as `min` and `max`.',
  required: ['code', 'message'],
  properties: {
    code: CODE,
    message: { type: 'string' },
    source: { type: 'string', enum: ['body', 'query', 'path', 'header', 'cookie'] },
    pointer: { type: 'string', description: 'A JSON Pointer into the body, or empty for the body as a whole.' },
    name: { type: 'string', description: 'The name of the parameter, header or cookie.' },
  },
  additionalProperties: true,
}

const ENVELOPE: JsonSchema = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: CODE,
    message: { type: 'string', description: 'A human-readable message in English.' },
    details: { type: 'array', maxItems: MAX_DETAILS, items: DETAIL },
  },
}

const ERROR: JsonSchema = {
  type: 'object',
  description: 'The response to every failed request. Branch on the code, then on the status.',
  required: ['error'],
  properties: { error: ENVELOPE },
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'The same error in RFC 9457 format, for clients that accept application/problem+json.',
  required: ['title', 'status', 'error'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    error: ENVELOPE,
  },
}

const PAGINATION: JsonSchema = {
  type: 'object',
  description: 'The position of a page in its list. `hasMore` is true if `nextCursor` is not null.',
  required: ['limit', 'hasMore', 'nextCursor', 'prevCursor'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT.max },
    hasMore: { type: 'boolean' },
    nextCursor: { type: ['string', 'null'], maxLength: 8_192, pattern: '^[A-Za-z0-9_-]+$' },
    prevCursor: { type: ['string', 'null'], maxLength: 8_192, pattern: '^[A-Za-z0-9_-]+$' },
    total: { type: 'integer', minimum: 0, description: 'The total number of items. Present only if requested.' },
  },
}

const SYSTEM_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: toWireSchema(ERROR, RESPONSE_CONTEXT),
  Problem: toWireSchema(PROBLEM, RESPONSE_CONTEXT),
  Pagination: toWireSchema(PAGINATION, RESPONSE_CONTEXT),
}

/** The error schema for an app that uses `formatError`, which does not affect errors in the chunks of a stream. */
const STREAM_ERROR = toWireSchema({ ...ERROR, description: 'The last chunk of a failed stream.' }, RESPONSE_CONTEXT)

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A short-lived access token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sdk.session_token',
    description: 'The browser session cookie. Over HTTPS, its name starts with `__Host-`.',
  },
}
