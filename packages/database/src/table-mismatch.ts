import { ApiError } from '@sdk/protocol'

/** An error for a table that does not match its resource. Its message is for operators and contains the fix as SQL. */
export class TableMismatch extends Error {}

/**
 * Converts a `TableMismatch` to a 503 and throws it, with the original as its cause for the log. Rethrows other errors.
 */
export function throwMismatch(error: unknown): never {
  if (!(error instanceof TableMismatch)) throw error
  const message = 'the database is not ready for this version of the app'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 10 })
}
