import { AsyncLocalStorage } from 'node:async_hooks'
import { findSqlError, isConnectionError } from '@sdk/database'
import { ApiError } from '@sdk/protocol'
import { isAPIError } from 'better-auth/api'

/** The SQLSTATE for a statement that was cancelled, for example because of the server's `statement_timeout`. */
const CANCELLED = '57014'

/**
 * The temporary database errors of the current call. Better Auth logs some of them instead of throwing them, and then
 * responds as if no user were signed in.
 */
const failures = new AsyncLocalStorage<unknown[]>()

/** Handles Better Auth's log: records temporary database errors, and prints unexpected errors that would otherwise be lost. */
export function logBetterAuth(_level: string, message: string, ...details: unknown[]): void {
  for (const error of details) {
    if (isTemporary(error)) failures.getStore()?.push(error)
    else if (error instanceof Error && !isAPIError(error)) printError(message, withoutValues(error))
  }
}

/** Prints only the stack, because the other properties of a database error contain row values. */
function printError(message: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- an error that Better Auth handled; the request's log is not available here
  console.error(`auth: ${message}`, error instanceof Error ? error.stack : error)
}

/** Runs `work`. Throws 503 if the database is unavailable, so that the user does not appear to be signed out. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const lost: unknown[] = []
  try {
    const result = await failures.run(lost, work)
    if (lost.length === 0) return result
  } catch (error) {
    if (lost.length === 0 && !isTemporary(error)) throw withoutValues(error)
    lost.push(error)
  }
  const message = isCancelled(lost[0])
    ? 'The database cannot execute the statement at the moment'
    : 'The database cannot be reached'
  throw new ApiError('SERVICE_UNAVAILABLE', message, {
    cause: withoutValues(lost[0]),
    retryAfter: 1,
  })
}

function isTemporary(error: unknown): boolean {
  return isConnectionError(error) || isCancelled(error)
}

function isCancelled(error: unknown): boolean {
  return findSqlError(error)?.code === CANCELLED
}

/**
 * Removes the values of the failed statement from a database error: they may be tokens or hashes, and errors end up in
 * logs and spans. Some libraries include the values in the message.
 */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = withoutValues(error.cause)
  if ('params' in error) return cause instanceof Error ? cause : new Error('a statement failed')
  if (cause !== error.cause) error.cause = cause
  return error
}
