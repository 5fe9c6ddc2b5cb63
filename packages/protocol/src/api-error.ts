import type { ErrorCode } from './error-codes.ts'

/** The code of an error detail. */
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

/** The part of the request that a detail refers to. */
export type DetailSource = 'body' | 'query' | 'path' | 'header' | 'cookie'

/** One issue in a request, located by `pointer` (RFC 6901) in the body and by `name` elsewhere. */
export interface ErrorDetail {
  /** The machine-readable code of the issue. */
  code: DetailCode | (string & {})
  /** The human-readable description of the issue. */
  message: string
  /** The part of the request that has the issue. */
  source?: DetailSource
  /** The location in the body, as a JSON Pointer: `/items/3/title`. */
  pointer?: string
  /** The name of the parameter, header or cookie. */
  name?: string
  /** Additional members. */
  [member: string]: unknown
}

/** Options for `ApiError`. */
export interface ApiErrorOptions {
  /** The HTTP status; required for custom codes. @default the status of the code in `ERROR_STATUS` */
  status?: number | undefined
  /** The individual issues. @default [] */
  details?: ErrorDetail[] | undefined
  /** The original error. It is never sent to the client. */
  cause?: unknown
  /** The `X-Request-Id` of the failed call. */
  requestId?: string | undefined
  /** The number of seconds to wait before retrying; sent as `Retry-After`. */
  retryAfter?: number | undefined
  /** Additional response headers, such as `Allow`. @default {} */
  headers?: Record<string, string>
}

/** The maximum number of details in an error. Further details are dropped. */
export const MAX_DETAILS = 100

/**
 * The base class of `ApiError`, without the table of error codes: the caller passes the status, which is 0 by default.
 * A browser bundle that uses only this class contains neither the table nor the checks. `instanceof ApiError` also
 * matches instances of this class.
 */
export class CommonApiError extends Error {
  /** The machine-readable error code: a code from the table, or a custom code. */
  declare readonly code: ErrorCode | (string & {})
  /** The HTTP status; 0 if there was no response. */
  declare readonly status: number
  /** The individual issues. */
  declare readonly details: ErrorDetail[]
  /** The `X-Request-Id` of the failed call; undefined if there was no response. */
  declare readonly requestId: string | undefined
  /** The number of seconds to wait before retrying. */
  declare readonly retryAfter: number | undefined
  /** Additional response headers. */
  declare readonly headers: Record<string, string>

  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    // The options may come from a response, so `details` might not be an array.
    const { details } = options
    Object.assign(this, { status: 0, headers: {} }, options, {
      code,
      details: Array.isArray(details) ? details : [],
      name: 'ApiError',
    })
  }
}
