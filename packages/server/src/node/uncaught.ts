import { errorFields, type Log } from '../log/log.ts'

interface ErrorReporter {
  readonly log: Log
  /**
   * Returns the ids of requests that are running or have pending `waitUntil` work. One of them may have caused the
   * error.
   */
  running(): readonly string[]
}

const reporters = new Set<ErrorReporter>()

/**
 * Keeps the process alive after an unhandled rejection or an uncaught error, such as one thrown in a timer, because one
 * request must not take down all others. Logs the error with the ids of the running requests. Returns a function that
 * unregisters `witness`.
 */
export function surviveUncaught(witness: ErrorReporter): () => void {
  if (reporters.size === 0) process.on('uncaughtException', reportUncaught).on('unhandledRejection', reportUncaught)
  reporters.add(witness)
  return () => {
    if (reporters.delete(witness) && reporters.size === 0)
      process.off('uncaughtException', reportUncaught).off('unhandledRejection', reportUncaught)
  }
}

function reportUncaught(error: unknown): void {
  // Node does not report which request caused the error, so all requests that may have caused it are logged.
  for (const { log, running } of reporters)
    log.error('uncaught error', { requestIds: running().slice(0, 20), ...errorFields(error) })
}
