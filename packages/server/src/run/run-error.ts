import { ApiError, isApiError, toEnvelope, type ErrorDetail, type ErrorEnvelope } from '@sdk/protocol'
import { markLogged } from '../http/error-response.ts'
import type { StoredRun } from './store/run-store.ts'

/** An error caused by incorrect use of steps. It is not retried. */
export class StepUsageError extends TypeError {}

/** Creates the error for a run, or a request about it, that exceeds a limit. */
export function limitExceeded(message: string, status = 500): ApiError {
  return new ApiError('RUN_LIMIT_EXCEEDED', message, { status })
}

/** Serializes an error, including its status, for the store. */
export function serializeError(error: Pick<ApiError, 'code' | 'message' | 'details' | 'status'>): string {
  const { code, message, details, status } = error
  return JSON.stringify({ code, message, details, status })
}

/** Returns the error of a run that has failed, was cancelled or is waiting, or null for any other run. */
export function errorOf(
  { status, error }: Pick<StoredRun, 'status' | 'error'>,
  headers: Record<string, string> = {},
): ApiError | null {
  if (status === 'cancelled') return new ApiError('RUN_CANCELLED', 'The run was cancelled', { headers })
  if (status === 'waiting') return new ApiError('RUN_WAITING', 'The run is waiting for an event or a time', { headers })
  if (status !== 'failed') return null
  const stored = JSON.parse(error ?? '{}') as {
    code?: string
    message?: string
    details?: ErrorDetail[]
    status?: number
  }
  const { code = 'INTERNAL_SERVER_ERROR', message = 'The run failed', details, status: sent = 500 } = stored
  // The process that executed the run has logged the error.
  return markLogged(new ApiError(code, message, { details, status: sent, headers }))
}

/** Returns the error of a failed run in the format of `GET …/runs/:run`, or null for any other run. */
export function toRunError(run: Pick<StoredRun, 'status' | 'error'>): ErrorEnvelope['error'] | null {
  const error = run.status === 'failed' ? errorOf(run) : null
  return error === null ? null : toEnvelope(error).error
}

/** Returns whether a step that failed with this error may succeed if it is retried. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StepUsageError) return false
  return !isApiError(error) || error.status === 0 || error.status >= 500
}
