import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { EXIT, Failure, printFailure } from '../failure.ts'
import { ignoreOutputErrors, untilStopped } from '../process-lifetime.ts'
import { createTerminal } from '../terminal.ts'
import { createPrimaryLog } from './primary-log.ts'
import { parseWorkers } from './worker-count.ts'
import { WorkerPool } from './worker-pool.ts'

/** Options for `runPrimary`. */
export interface PrimaryOptions {
  /** The number of workers, or `auto`. */
  readonly workers: string
  /** The URL of this file in `dist/server`, next to the file that each worker runs. */
  readonly base: string
}

/**
 * Starts the workers and supervises them until the process is stopped. `SIGHUP` replaces the workers one by one, with
 * the code that was built last. This module is bundled into `dist/server`.
 * @public called by the entry that `sdk build` writes
 */
export async function runPrimary({ workers, base }: PrimaryOptions): Promise<never> {
  const log = createPrimaryLog()
  ignoreOutputErrors()
  try {
    assertShared()
    // The workers accept connections themselves. If this process passed them on instead, a connection would be lost
    // without an error if its worker is killed before it confirms it, and a worker that hangs would still receive some.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: fileURLToPath(new URL('index.js', base)), args: process.argv.slice(2) })
    const stopped = untilStopped()
    const pool = new WorkerPool({
      count: parseWorkers(workers),
      log,
      onCrashLoop(exit) {
        log.error('the workers exit again and again before they listen: stopping', exit)
        process.exit(EXIT.failed)
      },
    })
    process.on('exit', () => pool.kill()) // also after a second Ctrl-C, which ends this process at once
    process.on('SIGHUP', () => void pool.replace())
    const failed = await Promise.race([pool.start(), stopped.then(() => null)])
    if (failed !== null) process.exit(failed.code ?? EXIT.failed) // the worker has printed the reason
    const signal = await stopped
    log.info('closing', { signal })
    process.exit((await pool.stop(signal)) ? EXIT.ok : EXIT.failed)
  } catch (error) {
    if (error instanceof Failure) process.exit(printFailure(error, createTerminal(), process.argv))
    throw error
  }
}

/** Throws if the workers could not share rooms, limits and rows. */
function assertShared(): void {
  const { REDIS_URL: redis = '', DATABASE_URL: database = '' } = process.env
  if (database.startsWith('pglite:')) {
    throw new Failure('several workers cannot use the embedded database, which only one process can open', {
      code: 'WORKERS_NOT_SHARED',
      fix: 'set DATABASE_URL to a PostgreSQL server, or start without --workers',
    })
  }
  if (redis !== '' || /^postgres(?:ql)?:/.test(database)) return
  throw new Failure('several workers need an engine that they share, got neither REDIS_URL nor a PostgreSQL server', {
    code: 'WORKERS_NOT_SHARED',
    fix: 'set DATABASE_URL=postgres://… or REDIS_URL=redis://…, or start without --workers',
  })
}
