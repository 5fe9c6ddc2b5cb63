import { ApiError } from '@sdk/protocol'

/** An error for a table that does not match its resource. Its message is for operators and contains the fix as SQL. */
export class TableMismatch extends Error {}

/**
 * Converts a `TableMismatch` to a 503 and throws it, with the original as its cause for the log. Rethrows other errors.
 */
export function throwMismatch(error: unknown): never {
  if (!(error instanceof TableMismatch)) throw error
  const message = 'the table does not match its resource: see the server log for the fix'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 10 })
}
