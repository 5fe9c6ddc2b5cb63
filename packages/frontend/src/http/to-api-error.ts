import { CommonApiError, isApiError, type ApiError } from '@sdk/protocol'

/** Anything that was thrown, as an `ApiError`; what is none is `INVALID_REQUEST`, with the cause. */
export function toApiError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new CommonApiError('INVALID_REQUEST', message, { status: 400, cause: thrown })
}

/** What a caller sees when a request broke off by itself. */
export function toNetworkError(cause: unknown): ApiError {
  return isApiError(cause) ? cause : new CommonApiError('NETWORK_ERROR', 'The server cannot be reached', { cause })
}
