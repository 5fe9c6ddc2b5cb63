import { createLogger, type Logger } from 'vite'
import { systemFailure } from '../system-failure.ts'

/** Creates a logger for Vite that passes system errors and errors in web files to `onProblem`. */
export function createViteLogger(onProblem: (error: Error) => void): Logger {
  const logger = createLogger('warn')
  const logError = logger.error
  logger.error = (message, options) => {
    const error = options?.error
    if (!(error instanceof Error) || !('loc' in error || 'errors' in error || systemFailure(error) !== null))
      logError(message, options)
    // Vite compiles imports in the background and may report an outdated error. When the page requests the file, Vite
    // reports the current error.
    else if (!message.includes('Pre-transform error:')) onProblem(error)
  }
  return logger
}
