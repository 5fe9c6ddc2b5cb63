/**
 * Every error code the SDK itself uses, with its HTTP status: the one table.
 * Where several codes share a status, the first one speaks for the status.
 * Status 0 marks codes that never cross the wire: the client makes them itself.
 */
export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_IN_USE: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  CONTENT_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE_CONTENT: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  UPGRADE_REQUIRED: 426,
  PRECONDITION_REQUIRED: 428,
  TOO_MANY_REQUESTS: 429,
  REQUEST_HEADER_FIELDS_TOO_LARGE: 431,
  INTERNAL_SERVER_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
  NETWORK_ERROR: 0,
  TIMEOUT: 0,
  INVALID_RESPONSE: 0,
  QUEUE_FULL: 0,
} as const

/** A code of the table. */
export type ErrorCode = keyof typeof ERROR_STATUS

/** What a detail says is wrong with one part of a request. */
export type DetailCode =
  | 'REQUIRED'
  | 'INVALID_TYPE'
  | 'INVALID_FORMAT'
  | 'INVALID_VALUE'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'TOO_SMALL'
  | 'TOO_LARGE'
  | 'UNKNOWN_FIELD'
  | 'DUPLICATE_FIELD'
  | 'READ_ONLY'
  | 'INVALID_UNICODE'
  | 'UNKNOWN_PARAMETER'
  | 'DUPLICATE_PARAMETER'
  | 'INVALID_CURSOR'
  | 'INVALID_SORT'
  | 'NOT_UNIQUE'
  | 'REFERENCED'
  | 'QUOTA_EXCEEDED'

/** Which part of the request a detail speaks of. */
export type DetailSource = 'body' | 'query' | 'path' | 'header' | 'cookie'

/** One fault. `pointer` (RFC 6901) locates it in a body, `name` anywhere else. */
export interface ErrorDetail {
  code: DetailCode | (string & {})
  message: string
  source?: DetailSource
  pointer?: string
  name?: string
  [member: string]: unknown
}

/** The body of every error answer. */
export interface ErrorEnvelope {
  error: { code: string; message: string; details: ErrorDetail[] }
}

/** What `ApiError` takes beside code and message. */
export interface ApiErrorOptions {
  /** HTTP status; needed for codes of your own. @default the table's status of the code */
  status?: number | undefined
  /** The single faults. @default [] */
  details?: ErrorDetail[]
  /** The error that led here; stays on this side of the wire. */
  cause?: unknown
  /** The `X-Request-Id` of the failed call. */
  requestId?: string | undefined
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number | undefined
  /** Further response headers, such as `Allow`. */
  headers?: Record<string, string>
}

/** Details beyond this number are dropped. */
export const MAX_DETAILS = 100

/**
 * The one error class: thrown by handlers, sent as the envelope, caught by callers.
 * @example throw new ApiError('CONFLICT', 'title is taken', { details })
 */
export class ApiError extends Error {
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly details: ErrorDetail[]
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly headers: Record<string, string>

  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    const { status = statusOf(code), details = [], headers = {}, requestId, retryAfter } = options
    if (!isCode(code)) throw new TypeError(`an error code is UPPER_SNAKE, got ${JSON.stringify(code)}`)
    if (status === undefined) throw new TypeError(`${code} is a code of your own: pass its status`)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.details = details.slice(0, MAX_DETAILS)
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.headers = headers
  }
}

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

function statusOf(code: string | undefined): number | undefined {
  return code !== undefined && Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as ErrorCode] : undefined
}

function messageOf(status: number): string {
  return `The server answered ${status} (${codeOfStatus(status).toLowerCase().replaceAll('_', ' ')})`
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,62}$/.test(value)
}

function isDetail(value: unknown): value is ErrorDetail {
  return isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
