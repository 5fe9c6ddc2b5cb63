import { errorFields, type Log } from '../log/log.ts'

interface ErrorReporter {
  readonly log: Log
  /** The ids of the requests that are running, or have work in `waitUntil`: one of them may have done it. */
  running(): readonly string[]
}

const reporters = new Set<ErrorReporter>()

/**
 * Keeps the process alive when an error escapes a handler, such as one thrown in a timer, or a promise that fails
 * with nobody waiting: one request must not end all others. It is logged with the ids of the requests that ran.
 * Gives how to stop.
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
  // Node does not say whose error it is, so the last requests are named that may have done it.
  for (const { log, running } of reporters)
    log.error('an error escaped its handler', { requestIds: running().slice(0, 20), ...errorFields(error) })
}
