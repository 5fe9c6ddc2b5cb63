import { settlesWithin } from '../platform/settles-within.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { Reply } from '../http/reply.ts'
import { errorFields, type Log } from '../log/log.ts'

interface HealthOptions {
  /** By name: what must work before requests may come. @default {} */
  checks?: Readonly<Record<string, HealthCheck>>
  /** How long a check may take, in ms. @default 1000 */
  timeout?: number
  /** Gets the name and the error of a check that begins to fail, and a line when it is well again. @default none */
  log?: Log
}

/** Answers load balancers and orchestrators. A reply names the checks that fail; the reasons are in the log alone. */
export class Health {
  readonly #options: HealthOptions
  readonly #failing = new Set<string>()
  #running: Promise<string[]> | undefined
  #isDraining = false

  constructor(options: HealthOptions = {}) {
    this.#options = options
  }

  /** `/healthz`: the process lives. If this fails, restart it. */
  live(): Reply {
    return toHealthReply(200, { status: 'ok' })
  }

  /** `/readyz`: requests may come. If this fails, send them elsewhere. Requests at the same time share the checks. */
  async ready(): Promise<Reply> {
    const failed = this.#isDraining ? [] : await (this.#running ??= this.#findFailing())
    // Draining may have begun meanwhile.
    if (this.#isDraining) return toHealthReply(503, { status: 'draining' })
    return failed.length === 0 ? this.live() : toHealthReply(503, { status: 'failing', failed })
  }

  /** From now on the process is not ready: it is about to stop. */
  drain(): void {
    this.#isDraining = true
  }

  /** Returns the names of the checks that fail. It runs every second: a line is written where something changes. */
  async #findFailing(): Promise<string[]> {
    const { checks = {}, timeout = 1_000, log } = this.#options
    const failing = this.#failing
    const run = async ([name, check]: [string, HealthCheck]): Promise<string[]> => {
      const fault = await runHealthCheck(check, timeout)
      if (fault === null && failing.delete(name)) log?.info('a readiness check is well again', { check: name })
      if (fault === null) return []
      if (!failing.has(name)) log?.warn('a readiness check fails', { check: name, ...errorFields(fault) })
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
    if (!(await settlesWithin(work(), timeout))) return new Error(`no answer within ${timeout} ms`)
    return result === false ? 'it said no' : null
  } catch (error) {
    return error ?? 'it threw nothing'
  }
}

function toHealthReply(status: number, body: { status: string; failed?: readonly string[] }): Reply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers: status === 503 ? { ...headers, 'retry-after': '1' } : headers, body: JSON.stringify(body) }
}
