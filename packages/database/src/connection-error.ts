import { ApiError } from '@sdk/protocol'

const NODE_CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/** The SQLSTATEs for connection exceptions, a server that is starting or shutting down, and too many connections. */
const SQL_STATES = /^(08...|57P0[123]|53300)$/

/** The pg driver's messages for errors without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection|Cannot use a pool after calling end)/

/**
 * Returns whether an error means that the database could not be reached, rather than that a statement failed. Use it
 * for errors from libraries that use `database.pool`: `database.query` already throws an `ApiError`.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    NODE_CODES.test(code) || SQL_STATES.test(code) || MESSAGES.test(error.message) || isConnectionError(error.cause)
  )
}

/** Throws `SERVICE_UNAVAILABLE` if the database could not be reached. Otherwise, rethrows the error unchanged. */
export function throwUnavailable(error: unknown): never {
  if (!isConnectionError(error)) throw error
  throw new ApiError('SERVICE_UNAVAILABLE', 'The database cannot be reached', { cause: error, retryAfter: 1 })
}
