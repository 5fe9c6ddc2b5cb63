import { createLogger, type Logger } from 'vite'
import { systemFailure } from './system-failure.ts'

/** Vite's log, but what a web file did wrong, or the system refuses, is told as the project's other problems are, and not with Vite's stack. */
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
