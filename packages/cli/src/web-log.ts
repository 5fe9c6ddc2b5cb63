import { createLogger, type Logger } from 'vite'
import { systemFailure } from './system-failure.ts'

/** Vite's log, except that errors in web files, and those of the system, go to `onBroken`, as other problems do. */
export function createWebLog(onBroken: (error: Error) => void): Logger {
  const logger = createLogger('warn')
  const tell = logger.error
  logger.error = (message, options) => {
    const error = options?.error
    if (error instanceof Error && ('loc' in error || 'errors' in error || systemFailure(error) !== null))
      onBroken(error)
    else tell(message, options)
  }
  return logger
}
