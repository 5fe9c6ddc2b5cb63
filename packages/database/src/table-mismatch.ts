import { ApiError } from '@sdk/protocol'

/** An error for a table that does not match its resource. Its message is for operators and contains the fix as SQL. */
export class TableMismatch extends Error {}

/** Throws a 503 for callers, with the `TableMismatch` as its cause for the log; rethrows any other error. */
export function throwMismatch(error: unknown): never {
  if (!(error instanceof TableMismatch)) throw error
  const message = 'the table does not match its resource: the server log contains the fix'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 10 })
}
