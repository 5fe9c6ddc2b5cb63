import type { ErrorCode } from './error-codes.ts'

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
  /** What is wrong, for programs. */
  code: DetailCode | (string & {})
  /** What is wrong, for people. */
  message: string
  /** Which part of the request it speaks of. */
  source?: DetailSource
  /** Where in the body, as a JSON Pointer: `/items/3/title`. */
  pointer?: string
  /** Which parameter, header or cookie. */
  name?: string
  /** Whatever else helps. */
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
  /** Further response headers, such as `Allow`. @default {} */
  headers?: Record<string, string>
}

/** Details beyond this number are dropped. */
export const MAX_DETAILS = 100

/** Checks a code and its options, and fills in what they leave out. */
export type Check = (code: string, options: ApiErrorOptions) => { status: number } & ApiErrorOptions

/** Set by `errors.ts`, which knows the table of codes. */
let check: Check | undefined

/**
 * `ApiError` without the table of codes, for code that says the status itself; otherwise it is 0. So a browser bundle
 * that needs no more contains neither the table nor the check. Both names are one class: whoever catches an `ApiError`
 * catches these, too.
 */
export class CommonApiError extends Error {
  /** What went wrong, for programs: one of the table, or of your own. */
  declare readonly code: ErrorCode | (string & {})
  /** The HTTP status; 0 where no server has answered. */
  declare readonly status: number
  /** The single faults. */
  declare readonly details: ErrorDetail[]
  /** The `X-Request-Id` of the failed call; undefined where no server has answered. */
  declare readonly requestId: string | undefined
  /** Seconds after which a retry makes sense. */
  declare readonly retryAfter: number | undefined
  /** Further headers of the answer. */
  declare readonly headers: Record<string, string>

  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    const rest = { status: 0, details: [], headers: {} }
    Object.assign(this, rest, options, { name: 'ApiError', code }, check?.(code, options))
  }
}

/** Gives the class a check of its codes and options, from now on, and returns it. */
export function withCheck(next: Check): typeof CommonApiError {
  check = next
  return CommonApiError
}
