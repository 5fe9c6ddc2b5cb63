import { AsyncLocalStorage } from 'node:async_hooks'
import { isConnectionError } from '@sdk/database'
import { ApiError } from '@sdk/protocol'
import { isAPIError } from 'better-auth/api'

/** Lost connections during the call that is running: the library only logs some, and answers as if nobody were signed in. */
const failures = new AsyncLocalStorage<unknown[]>()

/** Takes the library's log: notes errors which say that the database is away, and prints those that nobody else would. */
export function logBetterAuth(_level: string, message: string, ...details: unknown[]): void {
  for (const error of details) {
    if (isConnectionError(error)) failures.getStore()?.push(error)
    else if (error instanceof Error && !isAPIError(error)) printError(message, withoutValues(error))
  }
}

/** Its stack alone: what else the error of a database has are values of rows. */
function printError(message: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- a failure the library got over; the request's log is out of its reach
  console.error(`auth: ${message}`, error instanceof Error ? error.stack : error)
}

/** A database that cannot be reached is 503, never "not signed in". */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const lost: unknown[] = []
  try {
    const result = await failures.run(lost, work)
    if (lost.length === 0) return result
  } catch (error) {
    if (lost.length === 0 && !isConnectionError(error)) throw withoutValues(error)
    lost.push(error)
  }
  throw new ApiError('SERVICE_UNAVAILABLE', 'The database cannot be reached', {
    cause: withoutValues(lost[0]),
    retryAfter: 1,
  })
}

/**
 * Removes the values that were sent to the database from its error: they may be tokens and hashes, and errors end in
 * logs and spans. Some libraries write the values into the message.
 */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = withoutValues(error.cause)
  if ('params' in error) return cause instanceof Error ? cause : new Error('a statement failed')
  if (cause !== error.cause) error.cause = cause
  return error
}
