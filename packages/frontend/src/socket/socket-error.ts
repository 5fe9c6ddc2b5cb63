import { CommonApiError, isCode, type ApiError, type ApiErrorOptions } from '@sdk/protocol'

/** The codes of errors that the client creates. Errors from a server have their own codes. */
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  0: 'NETWORK_ERROR',
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  413: 'CONTENT_TOO_LARGE',
}

/** Creates a socket error. The status 0 is a network error. `code` is ignored unless it is a valid error code. */
export function socketError(
  status: number,
  message: string,
  options: ApiErrorOptions & { code?: unknown } = {},
): ApiError {
  const code = isCode(options.code) ? options.code : (CODE_BY_STATUS[status] ?? `HTTP_${status}`)
  return new CommonApiError(code, message, { ...options, status })
}

/**
 * Converts a close code and its reason to an error. The codes 44xx and 45xx contain a status, and their reasons contain
 * an error code and a message. All other codes are network errors.
 */
export function closeError(close: number, reason = ''): ApiError {
  const status = close >= 4400 && close < 4600 ? close - 4000 : 0
  return socketError(status, reason.replace(/^\w+: /, '') || `closed ${close}`, {
    code: status && reason.split(':')[0],
  })
}

/** Returns a thrown error unchanged if it has a status, and converts any other value to an error with this status. */
export function thrownError(cause: unknown, status: number): ApiError {
  const hasStatus = (cause as ApiError | undefined)?.status !== undefined
  return hasStatus ? (cause as ApiError) : socketError(status, String(cause), { cause })
}
