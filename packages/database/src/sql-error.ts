import { ApiError, isApiError } from '@sdk/protocol'

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
 * Adds the statement, the position in it, PostgreSQL's hint and the caller's stack to an error's stack, which is
 * logged. Values are omitted, since they may be secrets.
 */
export function addStatement(error: Error, text: string, caller?: Error): Error {
  const hint: unknown = Reflect.get(error, 'hint')
  const [head, ...frames] = error.stack?.split('\n    at ') ?? []
  const callerFrames = caller?.stack?.split('\n    at ').slice(3) ?? []
  const notes = [
    ...(typeof hint === 'string' ? [`hint: ${hint}`] : []),
    ...describePosition(text, Number(Reflect.get(error, 'position'))),
    `statement: ${text.slice(0, MAX_STATEMENT)}`,
  ]
  error.stack = [[head, ...notes].join('\n  '), ...(callerFrames.length > 0 ? callerFrames : frames)].join('\n    at ')
  return error
}

/** Describes a position in a statement, which PostgreSQL counts in characters from 1. */
function describePosition(text: string, position: number): string[] {
  if (!(position >= 1)) return []
  const lines = Array.from(text)
    .slice(0, position - 1)
    .join('')
    .split('\n')
  return [`position: line ${lines.length}, column ${Array.from(lines.at(-1) ?? '').length + 1}`]
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

/**
 * Throws an error with the constraint's name if the app's own SQL has violated a unique or foreign key constraint.
 * Otherwise, rethrows the error unchanged.
 */
export function throwViolation(error: unknown): never {
  const sql = isApiError(error) ? null : findSqlError(error)
  if (sql === null || typeof sql.constraint !== 'string' || sql.constraint === '') throw error
  const name = sql.constraint
  const toOptions = (code: string, message: string) => ({
    cause: error,
    details: [{ code, message, constraint: name }],
  })
  if (sql.code === '23505' || sql.code === '23P01')
    throw new ApiError('CONFLICT', `another row has the same values (${name})`, toOptions('NOT_UNIQUE', 'is taken'))
  // PostgreSQL reports violations in both directions of a foreign key as 23503; before version 18, even for `restrict`.
  if (sql.code === '23001' || (sql.code === '23503' && /still referenced/.test(String(sql.detail))))
    throw new ApiError(
      'CONFLICT',
      `other rows still reference it (${name})`,
      toOptions('REFERENCED', 'is still referenced'),
    )
  if (sql.code !== '23503') throw error
  const message = 'references a row that does not exist'
  throw new ApiError('INVALID_REQUEST', `a value ${message} (${name})`, toOptions('REFERENCED', message))
}

/** Creates the error for a transaction that PostgreSQL has rolled back although its function did not throw. */
export function rolledBackError(cause?: unknown): Error {
  const message =
    'The transaction was rolled back because a statement failed. Let that error propagate out of the transaction, ' +
    'or run the statement in a nested transaction'
  return new Error(message, { cause })
}

/** Throws `rolledBackError` if the error is due to an earlier failed statement. Otherwise, rethrows the error. */
export function throwRolledBack(error: unknown): never {
  throw findSqlError(error)?.code === '25P02' ? rolledBackError(error) : error
}

/** Creates the error that callers receive after a serialization failure. */
export function toSerializationError(cause: unknown): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The same rows are being changed concurrently', { cause, retryAfter: 1 })
}
