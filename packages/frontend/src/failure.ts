import { ApiError, isApiError } from '@sdk/protocol'

/** Anything thrown on the way to a request, as the error that states hold. */
export function toApiError(
  thrown: unknown,
  code = 'INVALID_REQUEST',
  message: string = thrown instanceof Error ? thrown.message : String(thrown),
): ApiError {
  return isApiError(thrown) ? thrown : new ApiError(code, message, { cause: thrown })
}

/** What a caller sees when a request broke off by itself. */
export function toNetworkError(cause: unknown): ApiError {
  return toApiError(cause, 'NETWORK_ERROR', 'The server cannot be reached')
}
