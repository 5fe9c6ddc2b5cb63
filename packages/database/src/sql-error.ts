import { ApiError } from '@sdk/protocol'

/** A PostgreSQL error, in the form that all drivers report. */
export interface SqlError {
  readonly code: string
  readonly constraint?: unknown
  readonly detail?: unknown
  readonly column?: unknown
}

/** Returns the PostgreSQL error, even if a library has wrapped it, or null for any other error. */
export function findSqlError(error: unknown): SqlError | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code))
    return error as SqlError & Error
  return findSqlError(error.cause)
}

const MAX_STATEMENT = 1_000

/**
 * Adds the statement, PostgreSQL's hint and the caller's stack to an error's stack, which is logged. Values are
 * omitted, since they may be secrets.
 */
export function addStatement(error: Error, text: string, caller?: Error): Error {
  const hint: unknown = Reflect.get(error, 'hint')
  const [head, ...frames] = error.stack?.split('\n    at ') ?? []
  const callerFrames = caller?.stack?.split('\n    at ').slice(3) ?? []
  error.stack = [
    [head, ...(typeof hint === 'string' ? [`hint: ${hint}`] : []), `statement: ${text.slice(0, MAX_STATEMENT)}`].join(
      '\n  ',
    ),
    ...(callerFrames.length > 0 ? callerFrames : frames),
  ].join('\n    at ')
  return error
}

/**
 * Returns an error with the stack of a query's caller, or undefined outside of development, since creating it takes
 * longer than some queries.
 */
export function captureCaller(): Error | undefined {
  return process.env['NODE_ENV'] === 'development' ? new Error('caller') : undefined
}

/** Returns whether an error is a serialization failure or a deadlock, after which the transaction can be retried. */
export function isSerializationFailure(error: unknown): boolean {
  const code = findSqlError(error)?.code
  return code === '40001' || code === '40P01'
}

/** Creates the error that callers receive after a serialization failure. */
export function toSerializationError(cause: unknown): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The same rows are being changed concurrently', { cause, retryAfter: 1 })
}
