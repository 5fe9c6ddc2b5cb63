import { ApiError } from '@sdk/protocol'

const NODE_CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/**
 * The SQLSTATEs for connection exceptions, a server that is starting, shutting down or read-only, a connection that was
 * idle for too long, and a lack of disk space, memory or connections.
 */
const SQL_STATES = /^(08...|57P0[1235]|25006|25P0[34]|53[0-3]00)$/

/** The SQLSTATE for a statement that was cancelled, for example because of the server's `statement_timeout`. */
const CANCELLED = '57014'

/** The pg driver's messages for errors without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection|Cannot use a pool after calling end)/

/**
 * Returns whether an error means that the database is unavailable, rather than that a statement failed. Use it for errors
 * from libraries that use `database.pool`: `database.query` already throws an `ApiError`.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    NODE_CODES.test(code) || SQL_STATES.test(code) || MESSAGES.test(error.message) || isConnectionError(error.cause)
  )
}

/** Throws `SERVICE_UNAVAILABLE` if the database is unavailable. Otherwise, rethrows the error unchanged. */
export function throwUnavailable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isRefused = code === CANCELLED || /^(25006|53[0-2]00)$/.test(code)
  if (!isRefused && !isConnectionError(error)) throw error
  const message = isRefused
    ? 'The database cannot execute the statement at the moment'
    : 'The database cannot be reached'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 1 })
}
