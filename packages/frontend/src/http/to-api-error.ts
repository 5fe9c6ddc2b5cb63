import { CommonApiError, isApiError, type ApiError } from '@sdk/protocol'

/** Returns a thrown `ApiError` unchanged, and converts any other value to `INVALID_REQUEST` with a cause. */
export function toApiError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new CommonApiError('INVALID_REQUEST', message, { status: 400, cause: thrown })
}

/** Returns an `ApiError` unchanged, and converts any other request failure to `NETWORK_ERROR`. */
export function toNetworkError(cause: unknown): ApiError {
  return isApiError(cause) ? cause : new CommonApiError('NETWORK_ERROR', 'The server cannot be reached', { cause })
}
