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

/** One issue of a request. `pointer` (RFC 6901) locates it in a body, `name` anywhere else. */
export interface ErrorDetail {
  /** The code of the issue, for programs. */
  code: DetailCode | (string & {})
  /** The description of the issue, for people. */
  message: string
  /** The part of the request that has the issue. */
  source?: DetailSource
  /** The location in the body, as a JSON Pointer: `/items/3/title`. */
  pointer?: string
  /** The name of the parameter, header or cookie. */
  name?: string
  /** Further members. */
  [member: string]: unknown
}

/** Options for `ApiError`. */
export interface ApiErrorOptions {
  /** HTTP status; required for your own codes. @default the table's status of the code */
  status?: number | undefined
  /** The individual issues. @default [] */
  details?: ErrorDetail[] | undefined
  /** The original error; it is never sent. */
  cause?: unknown
  /** The `X-Request-Id` of the failed call. */
  requestId?: string | undefined
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number | undefined
  /** Further response headers, such as `Allow`. @default {} */
  headers?: Record<string, string>
}

/** Details beyond this number are dropped. */
export const MAX_DETAILS = 100

/**
 * The base of `ApiError`, without the table of codes: the caller passes the status, which is 0 by default. A browser
 * bundle that only uses this class contains neither the table nor the checks. `instanceof ApiError` also matches it.
 */
export class CommonApiError extends Error {
  /** The error code, for programs: one of the table, or your own. */
  declare readonly code: ErrorCode | (string & {})
  /** The HTTP status; 0 if there was no response. */
  declare readonly status: number
  /** The individual issues. */
  declare readonly details: ErrorDetail[]
  /** The `X-Request-Id` of the failed call; undefined if there was no response. */
  declare readonly requestId: string | undefined
  /** Seconds after which a retry makes sense. */
  declare readonly retryAfter: number | undefined
  /** Further response headers. */
  declare readonly headers: Record<string, string>

  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    // Options may come from the wire.
    const { details } = options
    Object.assign(this, { status: 0, headers: {} }, options, {
      code,
      details: Array.isArray(details) ? details : [],
      name: 'ApiError',
    })
  }
}
