import { settlesWithin } from '../platform/settles-within.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { Reply } from '../http/reply.ts'
import { errorFields, type Log } from '../log/log.ts'

interface HealthOptions {
  /** The readiness checks, by name. @default {} */
  checks?: Readonly<Record<string, HealthCheck>>
  /** How long a check may take, in ms. @default 1000 */
  timeout?: number
  /** Receives the name and error of a check that starts to fail, and a line when it recovers. @default none */
  log?: Log
}

/** The health replies for load balancers and orchestrators. They name the failing checks; only the log has reasons. */
export class Health {
  readonly #options: HealthOptions
  readonly #failing = new Set<string>()
  #running: Promise<string[]> | undefined
  #isDraining = false

  constructor(options: HealthOptions = {}) {
    this.#options = options
  }

  /** Handles `/healthz`: the process is alive. If it fails, restart the process. */
  live(): Reply {
    return toHealthReply(200, { status: 'ok' })
  }

  /** Handles `/readyz`: the process is ready. If not, send requests elsewhere. Concurrent calls share the checks. */
  async ready(): Promise<Reply> {
    const failed = this.#isDraining ? [] : await (this.#running ??= this.#findFailing())
    // Draining may have started in the meantime.
    if (this.#isDraining) return toHealthReply(503, { status: 'draining' })
    return failed.length === 0 ? this.live() : toHealthReply(503, { status: 'failing', failed })
  }

  /** Marks the process as not ready, because it is about to stop. */
  drain(): void {
    this.#isDraining = true
  }

  /** Returns the names of the failing checks. It runs every second, so only changes are logged. */
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
