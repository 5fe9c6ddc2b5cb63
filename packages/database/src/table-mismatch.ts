import { ApiError } from '@sdk/protocol'

/** The error for a table that is not as its resource needs it. Its message is for operators: it has the fix, as SQL. */
export class TableMismatch extends Error {}

/** Throws the 503 that callers get for such an error, which is its cause in the log; any other error as it is. */
export function throwMismatch(error: unknown): never {
  if (!(error instanceof TableMismatch)) throw error
  const message = 'the table of these rows does not fit their resource: the log of the server has the fix'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 10 })
}
