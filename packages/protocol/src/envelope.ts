import { CommonApiError, type ApiErrorOptions, type ErrorDetail } from './api-error.ts'
import { COMMON_STATUS, isCode } from './error-codes.ts'

/** The body of every error response. */
export interface ErrorEnvelope {
  error: { code: string; message: string; details: ErrorDetail[] }
}

/** Returns whether a value is an `ApiError`, even one from another copy of this package. */
export function isApiError(value: unknown): value is CommonApiError {
  if (!(value instanceof Error)) return false
  const { code, details } = value as Partial<CommonApiError>
  return value instanceof CommonApiError || (value.name === 'ApiError' && isCode(code) && Array.isArray(details))
}

/** Converts an error to its wire format, which contains only the code, message and details. */
export function toEnvelope({ code, message, details }: CommonApiError): ErrorEnvelope {
  return { error: { code, message, details } }
}

/** Returns whether a value is exactly an error envelope, not a payload that happens to have an `error` member. */
export function isEnvelope(value: unknown): value is ErrorEnvelope {
  if (!isObjectLike(value) || !isObjectLike(value['error']) || Object.keys(value).length !== 1) return false
  const { code, message, details } = value['error']
  return (
    isCode(code) &&
    typeof message === 'string' &&
    Array.isArray(details) &&
    details.every(isDetail) &&
    Object.keys(value['error']).length === 3
  )
}

/**
 * Converts a failed response to an `ApiError`. The body can be anything: an envelope, an envelope with additional
 * members, a proxy's HTML page, or nothing. A missing code is derived from the status. A missing status, as in a
 * stream, is derived from the code. Browsers use this function, so it supports only the common codes.
 */
export function fromEnvelope(body: unknown, options: ApiErrorOptions = {}): CommonApiError {
  const { code, message, details } = isObjectLike(body) && isObjectLike(body['error']) ? body['error'] : {}
  const parsedCode = isCode(code) ? code : ''
  const status = options.status ?? STATUS[parsedCode] ?? 500
  const name = parsedCode || (Object.keys(STATUS).find((each) => STATUS[each] === status) ?? `HTTP_${status}`)
  const text = typeof message === 'string' && message
  return new CommonApiError(
    name,
    text || `The server responded with ${status} (${name.toLowerCase().replaceAll('_', ' ')})`,
    {
      ...options,
      status,
      details: Array.isArray(details) ? details.filter(isDetail) : [],
    },
  )
}

const STATUS: Readonly<Record<string, number>> = COMMON_STATUS

function isDetail(value: unknown): value is ErrorDetail {
  return isObjectLike(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
}

/** Returns whether a value is an object or an array. */
export function isObjectLike(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
