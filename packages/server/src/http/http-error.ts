import { ApiError, invalidRequest, type ApiErrorOptions, type ErrorCode, type ErrorDetail } from '@sdk/protocol'

/** The error for a request that we refuse. It is no failure, so it has no stack: that costs ten times the rest of it. */
export function httpError(code: ErrorCode, message: string, options?: ApiErrorOptions): ApiError {
  return withoutStack(() => new ApiError(code, message, options))
}

/** The 400 for what was found wrong with a request. */
export function validationError(details: ErrorDetail[]): ApiError {
  return withoutStack(() => invalidRequest(details))
}

/** Refuses a body that is larger than allowed; the rest of it is not read, so the connection ends. */
export function bodyTooLarge(limit: number): ApiError {
  return httpError('CONTENT_TOO_LARGE', `the body has more than ${limit} bytes`, { headers: { connection: 'close' } })
}

/** Refuses a body that is not UTF-8. */
export function bodyNotUtf8(): ApiError {
  return validationError([{ code: 'INVALID_UNICODE', message: 'is not UTF-8', source: 'body', pointer: '' }])
}

/** The caller went away while it sent its body: nobody hears this answer, but the log should not blame us. */
export function bodyCutOff(): ApiError {
  return httpError('INVALID_REQUEST', 'the body was cut off')
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
