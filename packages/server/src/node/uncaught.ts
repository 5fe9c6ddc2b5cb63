import { errorFields, type Log } from '../log/log.ts'

/** Whom to tell of an error that nobody caught. */
export interface Witness {
  readonly log: Log
  /** The ids of the requests that are running, or have work in `waitUntil`: one of them may have done it. */
  running(): readonly string[]
}

const witnesses = new Set<Witness>()

/** So many requests are named, the last ones first. */
const MAX_NAMED = 20

/**
 * Keeps the process alive when an error escapes a handler, such as one thrown in a timer, or a promise that fails
 * with nobody waiting: one request must not end all others. It is logged with the ids of the requests that ran.
 * Gives how to stop.
 */
export function surviveUncaught(witness: Witness): () => void {
  if (witnesses.size === 0) process.on('uncaughtException', report).on('unhandledRejection', report)
  witnesses.add(witness)
  return () => {
    if (witnesses.delete(witness) && witnesses.size === 0)
      process.off('uncaughtException', report).off('unhandledRejection', report)
  }
}

function report(error: unknown): void {
  // Node does not say whose error it is, so all who may have done it are named.
  for (const { log, running } of witnesses)
    log.error('an error escaped its handler', { requestIds: running().slice(0, MAX_NAMED), ...errorFields(error) })
}
