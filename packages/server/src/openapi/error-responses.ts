import { headerRefs, COMMON_HEADERS, type Content, type OpenApiResponse, type Ref } from './response-object.ts'

interface ErrorKind {
  readonly name: string
  readonly description: string
  /** Headers in addition to the common ones. */
  readonly headers?: readonly string[]
}

const ERRORS: Readonly<Record<number, ErrorKind>> = {
  400: { name: 'InvalidRequest', description: 'The URL, a header or the body is malformed or invalid' },
  401: { name: 'Unauthorized', description: 'The credentials are missing or invalid', headers: ['WWW-Authenticate'] },
  403: { name: 'Forbidden', description: 'The caller is not allowed to do this' },
  404: { name: 'NotFound', description: 'The item does not exist, or the caller cannot access it' },
  406: { name: 'NotAcceptable', description: 'The Accept header excludes JSON' },
  409: {
    name: 'Conflict',
    description:
      'A value is not unique, the item is still referenced, or a request with this Idempotency-Key is still running',
    headers: ['Retry-After'],
  },
  410: { name: 'Gone', description: 'This API version has been retired', headers: ['Deprecation', 'Sunset', 'Link'] },
  412: { name: 'PreconditionFailed', description: 'The item has changed in the meantime', headers: ['ETag'] },
  413: { name: 'ContentTooLarge', description: 'The body is too large' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The type, charset or encoding of the body is not supported',
    headers: ['Accept', 'Accept-Patch', 'Accept-Encoding'],
  },
  422: { name: 'IdempotencyKeyReused', description: 'This Idempotency-Key was already used for another request' },
  428: { name: 'PreconditionRequired', description: 'If-Match is required', headers: ['ETag'] },
  429: { name: 'TooManyRequests', description: 'A rate limit was exceeded', headers: ['Retry-After'] },
  500: { name: 'InternalServerError', description: 'An unexpected error occurred on the server' },
}

const ANY_ERROR: ErrorKind = { name: 'Error', description: 'Any other error', headers: ['Retry-After'] }

/** Returns references to the error responses for these statuses and to the default error. */
export function errorsOf(...statuses: readonly number[]): Record<string, Ref> {
  const named = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${ERRORS[status]?.name ?? ANY_ERROR.name}` },
  ])
  return { ...(Object.fromEntries(named) as Record<string, Ref>), default: { $ref: '#/components/responses/Error' } }
}

/** Returns all error responses, by name. They have no content if the format of the bodies is not known. */
export function toErrorResponses(hasEnvelope: boolean): Readonly<Record<string, OpenApiResponse>> {
  const content = hasEnvelope ? { content: ENVELOPE_CONTENT } : {}
  const kinds = [ANY_ERROR, ...Object.values(ERRORS)]
  return Object.fromEntries(
    kinds.map(({ name, description, headers = [] }) => [
      name,
      { description, headers: headerRefs(...COMMON_HEADERS, ...headers), ...content },
    ]),
  )
}

const ENVELOPE_CONTENT: Content = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}
