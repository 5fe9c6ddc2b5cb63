import { CommonApiError, MAX_DETAILS, type ApiErrorOptions } from './api-error.ts'
import { ERROR_STATUS, isCode, type ErrorCode } from './error-codes.ts'

/**
 * The one error class: thrown by handlers, sent as the envelope, caught by callers. The table has the status of a code;
 * with your own code, pass the status. Any other value that a handler throws is a plain 500 to the caller.
 * @example throw new ApiError('CONFLICT', 'title is taken', { details })
 * @example throw new ApiError('SEAT_TAKEN', 'sorry', { status: 409 })
 */
export class ApiError extends CommonApiError {
  constructor(code: ErrorCode | (string & {}), message: string, options: ApiErrorOptions = {}) {
    const { status = (ERROR_STATUS as Partial<Record<string, number>>)[code], retryAfter, requestId } = options
    if (!isCode(code)) throw new TypeError(`an error code must be UPPER_SNAKE, got ${JSON.stringify(code)}`)
    if (status === undefined) throw new TypeError(`custom code ${code} needs a status`)
    super(code, message, options)
    Object.assign(this, { status, details: this.details.slice(0, MAX_DETAILS), retryAfter, requestId })
  }

  /** Also matches client errors, which are created without the table. */
  // A field, since V8 creates instances of a class with such a method 17 µs slower.
  static override readonly [Symbol.hasInstance] = function (this: { prototype: object }, value: unknown): boolean {
    return (this === ApiError ? CommonApiError : this).prototype.isPrototypeOf(value as object)
  }
}

/** Returns the code of a status: the first in the table, or its reason phrase as a code, or `HTTP_{status}`. */
export function codeOfStatus(status: number, reason = ''): string {
  const code = Object.keys(ERROR_STATUS).find((each) => ERROR_STATUS[each as ErrorCode] === status)
  const words = reason.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  return code ?? (isCode(words) ? words : `HTTP_${status}`)
}
