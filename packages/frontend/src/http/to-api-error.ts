import { CommonApiError, isApiError, type ApiError } from '@sdk/protocol'

/** Converts a thrown value to an `ApiError`; any other value becomes `INVALID_REQUEST`, with the cause. */
export function toApiError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new CommonApiError('INVALID_REQUEST', message, { status: 400, cause: thrown })
}

/** Converts the failure of a request to an `ApiError`; any other error becomes `NETWORK_ERROR`. */
export function toNetworkError(cause: unknown): ApiError {
  return isApiError(cause) ? cause : new CommonApiError('NETWORK_ERROR', 'The server cannot be reached', { cause })
}
