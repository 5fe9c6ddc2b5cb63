import { settlesWithin } from '../platform/settles-within.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { Reply } from '../http/reply.ts'
import { errorFields, type Log } from '../log/log.ts'

interface HealthOptions {
  /** The readiness checks, by name. @default {} */
  checks?: Readonly<Record<string, HealthCheck>>
  /** The maximum duration of a check, in ms. @default 1000 */
  timeout?: number
  /** The logger for checks that start to fail or recover. @default none */
  log?: Log
}

/**
 * The health endpoints for load balancers and orchestrators. Replies list the failing checks; the log contains the
 * reasons.
 */
export class Health {
  readonly #options: HealthOptions
  readonly #failing = new Set<string>()
  #running: Promise<string[]> | undefined
  #isDraining = false

  constructor(options: HealthOptions = {}) {
    this.#options = options
  }

  /** Handles `/healthz`, which reports that the process is alive. If it fails, the process should be restarted. */
  live(): Reply {
    return toHealthReply(200, { status: 'ok' })
  }

  /**
   * Handles `/readyz`, which reports whether the process can accept requests. Concurrent calls share one run of the
   * checks.
   */
  async ready(): Promise<Reply> {
    const failed = this.#isDraining ? [] : await (this.#running ??= this.#findFailing())
    // Draining may have started in the meantime.
    if (this.#isDraining) return toHealthReply(503, { status: 'draining' })
    return failed.length === 0 ? this.live() : toHealthReply(503, { status: 'failing', failed })
  }

  /** Marks the process as not ready, because it is about to shut down. */
  drain(): void {
    this.#isDraining = true
  }

  /** Returns the names of the failing checks. Logs only changes, since the checks may run every second. */
  async #findFailing(): Promise<string[]> {
    const { checks = {}, timeout = 1_000, log } = this.#options
    const failing = this.#failing
    const run = async ([name, check]: [string, HealthCheck]): Promise<string[]> => {
      const fault = await runHealthCheck(check, timeout)
      if (fault === null && failing.delete(name)) log?.info('readiness check recovered', { check: name })
      if (fault === null) return []
      if (!failing.has(name)) log?.warn('readiness check failed', { check: name, ...errorFields(fault) })
      failing.add(name)
      return [name]
    }
    try {
      return (await Promise.all(Object.entries(checks).map(run))).flat()
    } finally {
      this.#running = undefined
    }
  }
}

async function runHealthCheck(check: HealthCheck, timeout: number): Promise<unknown> {
  let result: unknown
  const work = async (): Promise<void> => void (result = await check())
  try {
    if (!(await settlesWithin(work(), timeout))) return new Error(`the check timed out after ${timeout} ms`)
    return result === false ? 'the check returned false' : null
  } catch (error) {
    return error ?? 'the check failed without an error'
  }
}

function toHealthReply(status: number, body: { status: string; failed?: readonly string[] }): Reply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers: status === 503 ? { ...headers, 'retry-after': '1' } : headers, body: JSON.stringify(body) }
}
