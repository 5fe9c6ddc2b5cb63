import { ApiError, invalidRequest, type ApiErrorOptions, type ErrorCode, type ErrorDetail } from '@sdk/protocol'

/**
 * Creates the error for a rejected request, without a stack trace: capturing one would take ten times as long as
 * creating the error.
 */
export function httpError(code: ErrorCode, message: string, options?: ApiErrorOptions): ApiError {
  return withoutStack(() => new ApiError(code, message, options))
}

/** Creates a 400 error that lists the issues in a request. */
export function validationError(details: ErrorDetail[]): ApiError {
  return withoutStack(() => invalidRequest(details))
}

/**
 * Creates the error for a body that exceeds its limit. The rest of the body is not read, so the connection is closed.
 */
export function bodyTooLarge(limit: number): ApiError {
  return httpError('CONTENT_TOO_LARGE', `the body has more than ${limit} bytes`, { headers: { connection: 'close' } })
}

/** Creates the error for a body that is not UTF-8. */
export function bodyNotUtf8(): ApiError {
  return validationError([{ code: 'INVALID_UNICODE', message: 'is not UTF-8', source: 'body', pointer: '' }])
}

/**
 * Creates the error for an aborted body. No client receives it, but it prevents the log from reporting a server error.
 */
export function bodyCutOff(): ApiError {
  return httpError('INVALID_REQUEST', 'the body is incomplete')
}

function withoutStack(make: () => ApiError): ApiError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
