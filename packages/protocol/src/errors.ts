import {
  judgedBy,
  MAX_DETAILS,
  type ApiErrorOptions,
  type CommonApiError,
  type ErrorDetail,
  type Judge,
} from './api-error.ts'
import { ERROR_STATUS, isCode, type ErrorCode } from './error-codes.ts'

/** The body of every error answer. */
export interface ErrorEnvelope {
  error: { code: string; message: string; details: ErrorDetail[] }
}

/**
 * The one error class: thrown by handlers, sent as the envelope, caught by callers.
 * @example throw new ApiError('CONFLICT', 'title is taken', { details })
 */
export const ApiError: typeof CommonApiError = /* @__PURE__ */ judgedBy(checked)

/** The one error class: thrown by handlers, sent as the envelope, caught by callers. */
export type ApiError = CommonApiError

/** Is it an `ApiError`, also one made by another copy of this package? */
export function isApiError(value: unknown): value is ApiError {
  if (!(value instanceof Error)) return false
  const { code, details } = value as Partial<ApiError>
  return value instanceof ApiError || (value.name === 'ApiError' && isCode(code) && Array.isArray(details))
}

/** The code that speaks for a status: the table's first, else the reason phrase as one, else `HTTP_{status}`. */
export function codeOfStatus(status: number, reason = ''): string {
  const [code] = Object.entries(ERROR_STATUS).find(([, known]) => known === status) ?? []
  const words = reason.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  return code ?? (isCode(words) ? words : `HTTP_${status}`)
}

/** An error as it goes over the wire: exactly code, message, details. */
export function toEnvelope({ code, message, details }: ApiError): ErrorEnvelope {
  return { error: { code, message, details } }
}

/** Is this exactly an error envelope, and not a payload that happens to have a member `error`? */
export function isEnvelope(value: unknown): value is ErrorEnvelope {
  if (!isRecord(value) || !isRecord(value['error']) || Object.keys(value).length !== 1) return false
  const { code, message, details, ...others } = value['error']
  return (
    isCode(code) &&
    typeof message === 'string' &&
    Array.isArray(details) &&
    details.every(isDetail) &&
    Object.keys(others).length === 0
  )
}

/**
 * The `ApiError` behind a failed response, whatever its body: an envelope, an envelope with
 * further members, a proxy's HTML page, nothing. Codes it cannot read come from the status;
 * an envelope that came without one, as in a stream or a socket, has the status of its code.
 */
export function fromEnvelope(body: unknown, options: ApiErrorOptions = {}): ApiError {
  const { code, message, details } = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const known = isCode(code) ? code : undefined
  const status = options.status ?? statusOf(known) ?? 500
  const text = typeof message === 'string' ? message : ''
  return new ApiError(known ?? codeOfStatus(status), text || messageOf(status), {
    ...options,
    status,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
  })
}

function checked(code: string, options: ApiErrorOptions): ReturnType<Judge> {
  const { status = statusOf(code), details, headers = {}, requestId, retryAfter } = options
  if (!isCode(code)) throw new TypeError(`an error code is UPPER_SNAKE, got ${JSON.stringify(code)}`)
  if (status === undefined) throw new TypeError(`${code} is a code of your own: pass its status`)
  return {
    status,
    details: Array.isArray(details) ? details.slice(0, MAX_DETAILS) : [],
    headers,
    requestId,
    retryAfter,
  }
}

function statusOf(code: string | undefined): number | undefined {
  return code !== undefined && Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as ErrorCode] : undefined
}

function messageOf(status: number): string {
  return `The server answered ${status} (${codeOfStatus(status).toLowerCase().replaceAll('_', ' ')})`
}

function isDetail(value: unknown): value is ErrorDetail {
  return isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
