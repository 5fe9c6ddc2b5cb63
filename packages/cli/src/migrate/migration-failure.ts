import { Failure } from '../failure.ts'
import { findHint } from '../log-hints.ts'

/** Creates the failure for a plan or migration that failed. */
export function toMigrationFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { message, cause, code } = error as Error & { code?: unknown }
  const text = cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message
  return new Failure(text, {
    code: code === 'MIGRATION_EDITED' ? code : 'MIGRATION_FAILED',
    fix: findHint(text, undefined),
    cause: error,
  })
}
