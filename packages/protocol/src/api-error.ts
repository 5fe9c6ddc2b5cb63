import { COMMON_STATUS, isCode, type ErrorCode } from './error-codes.ts'

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

let statuses: Readonly<Record<string, number>> = COMMON_STATUS

/**
 * `ApiError`, but it need not know more than the common codes: a page that makes no others does not carry their table.
 * It is one class, so that whoever catches an `ApiError` catches these too.
 */
export class CommonApiError extends Error {
  declare readonly code: ErrorCode | (string & {})
  declare readonly status: number
  declare readonly details: ErrorDetail[]
  declare readonly requestId: string | undefined
  declare readonly retryAfter: number | undefined
  declare readonly headers: Record<string, string>

  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    const { status = statuses[code], details = [], headers = {}, requestId, retryAfter } = options
    if (!isCode(code)) throw new TypeError(`an error code is like NOT_FOUND, got ${JSON.stringify(code)}`)
    if (status === undefined) throw new TypeError(`${code} is a code of your own: pass its status`)
    const name = 'ApiError'
    Object.assign(this, { name, code, status, details: details.slice(0, MAX_DETAILS), requestId, retryAfter, headers })
  }
}

/** The class, which from now on knows the status of all these codes. */
export function knowing(table: Readonly<Record<string, number>>): typeof CommonApiError {
  statuses = table
  return CommonApiError
}
