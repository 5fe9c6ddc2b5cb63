import { ApiError, isApiError } from '@sdk/protocol'

/** What a caller sees when a request broke off: the abort itself, or `NETWORK_ERROR`. */
export function toNetworkError(cause: unknown, signal?: AbortSignal | null): unknown {
  if (signal?.aborted === true) return signal.reason
  if (isApiError(cause)) return cause
  return new ApiError('NETWORK_ERROR', 'The server cannot be reached', { cause })
}

/** Anything thrown on the way to a request, as the error that states hold. */
export function toApiError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new ApiError('INVALID_REQUEST', message, { cause: thrown })
}
