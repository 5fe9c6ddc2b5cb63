import { ApiError } from '@sdk/protocol'

/** An error of PostgreSQL, as every driver reports it. */
export interface SqlError {
  readonly code: string
  readonly constraint?: unknown
  readonly detail?: unknown
  readonly column?: unknown
}

/** Finds the error of PostgreSQL, also where a library wrapped it; null: there is none. */
export function findSqlError(error: unknown): SqlError | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code))
    return error as SqlError & Error
  return findSqlError(error.cause)
}

/** Is it a serialization failure or a deadlock, so that the transaction can be tried again? */
export function isSerializationFailure(error: unknown): boolean {
  const code = findSqlError(error)?.code
  return code === '40001' || code === '40P01'
}

/** Returns the error for callers after a serialization failure. */
export function toSerializationError(cause: unknown): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'Others change the same rows just now', { cause, retryAfter: 1 })
}
