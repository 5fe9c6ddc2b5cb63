import { validate, type ApiError, type DetailSource, type Schema } from '@sdk/protocol'
import { andThen } from '../platform/and-then.ts'
import type { ServerRequest } from './server-request.ts'
import { httpError, validationError } from './http-error.ts'

/** Returns whether a request's `Content-Type` is JSON in UTF-8. For PATCH, a JSON merge patch is also accepted. */
export function isJson(call: ServerRequest): boolean {
  const type = call.header('content-type')
  if (type === null || type === 'application/json') return type !== null
  const match = /^application\/(merge-patch\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.exec(type.trim())
  return match !== null && (match[1] === undefined || call.method === 'PATCH')
}

/**
 * Reads a JSON body as text, or returns an empty string if there is no body. Throws 415 for any other media type,
 * charset or encoding.
 */
export function readJsonText(call: ServerRequest, limit: number): string | Promise<string> {
  const encoding = call.header('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw httpError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding is not supported: send the body without it', {
      headers: { 'accept-encoding': 'identity' },
    })
  }
  if (isJson(call)) return call.text(limit)
  if (mayHaveBody(call)) throw bodyNotJson(call)
  return andThen(call.text(limit), (text) => {
    if (text !== '') throw bodyNotJson(call)
    return text
  })
}

/** Returns whether the headers of a request announce a body. */
export function mayHaveBody(call: ServerRequest): boolean {
  const hasLength = Number(call.header('content-length') ?? 0) > 0
  return hasLength || call.header('transfer-encoding') !== null || call.header('content-type') !== null
}

/** Validates a value. Throws a single 400 error that lists all issues. */
export function validateOrThrow<T>(schema: Schema<unknown, T>, value: unknown, source: DetailSource): T | Promise<T> {
  return andThen(validate(schema, value, source), (result) => {
    if (result.ok) return result.value
    throw validationError(result.details)
  })
}

/** The methods whose request body is not read. */
export const BODILESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** The media types accepted for PATCH. */
export const ACCEPT_PATCH = 'application/merge-patch+json, application/json'

function bodyNotJson({ method }: ServerRequest): ApiError {
  return httpError('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON, with Content-Type: application/json', {
    headers: { accept: 'application/json', ...(method === 'PATCH' && { 'accept-patch': ACCEPT_PATCH }) },
  })
}
