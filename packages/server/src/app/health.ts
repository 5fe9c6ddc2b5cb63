import { settlesWithin } from '../platform/settles-within.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { Reply } from '../http/reply.ts'
import { errorFields, type Log } from '../log/log.ts'

/** What `createHealth` takes. */
export interface HealthOptions {
  /** By name: what must work before requests may come. @default {} */
  checks?: Readonly<Record<string, HealthCheck>>
  /** How long a check may take, in ms. @default 1000 */
  timeout?: number
  /** Hears which check begins to fail and why, and when it is well again. @default nobody */
  log?: Log
}

/** Answers those who watch over the process. */
export interface Health {
  /** `/healthz`: the process lives. If this fails, restart it. */
  live(): Reply
  /** `/readyz`: requests may come. If this fails, send them elsewhere. Those who ask at the same time share the checks. */
  ready(): Promise<Reply>
  /** From now on the process is not ready: it is about to stop. */
  drain(): void
}

/** Health for load balancers and orchestrators. What failed is named, why stands in the log alone. */
export function createHealth(options: HealthOptions = {}): Health {
  let isDraining = false
  let running: Promise<string[]> | undefined
  const failing = new Set<string>()
  const failed = (): Promise<string[]> =>
    (running ??= findFailing(options, failing).finally(() => {
      running = undefined
    }))
  return {
    live: () => toHealthReply(200, { status: 'ok' }),
    async ready() {
      if (isDraining) return toHealthReply(503, { status: 'draining' })
      const names = await failed()
      // Draining may have begun meanwhile.
      if (isDraining) return toHealthReply(503, { status: 'draining' })
      return names.length === 0
        ? toHealthReply(200, { status: 'ok' })
        : toHealthReply(503, { status: 'failing', failed: names })
    },
    drain() {
      isDraining = true
    },
  }
}

/** The names of the checks that fail. Those who ask come every second: a line is written where something changes. */
async function findFailing(
  { checks = {}, timeout = 1_000, log }: HealthOptions,
  failing: Set<string>,
): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const fault = await runHealthCheck(check, timeout)
      if (fault === null) {
        if (failing.delete(name)) log?.info('a readiness check is well again', { check: name })
        return null
      }
      if (!failing.has(name)) log?.warn('a readiness check fails', { check: name, ...errorFields(fault) })
      failing.add(name)
      return name
    }),
  )
  return results.filter((name) => name !== null)
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
