import { createLogger, type Logger } from 'vite'
import { systemFailure } from '../system-failure.ts'

/** Vite's log, except that errors in web files, and those of the system, go to `onProblem`, as other problems do. */
export function createViteLogger(onProblem: (error: Error) => void): Logger {
  const logger = createLogger('warn')
  const logError = logger.error
  logger.error = (message, options) => {
    const error = options?.error
    if (!(error instanceof Error) || !('loc' in error || 'errors' in error || systemFailure(error) !== null))
      logError(message, options)
    // Vite compiles imports in the background and may report one after it is corrected: the request reports it in time.
    else if (!message.includes('Pre-transform error:')) onProblem(error)
  }
  return logger
}
