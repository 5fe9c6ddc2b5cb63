import type { Reply } from '../http/call.ts'
import { errorFields, type Log } from '../log/log.ts'

/** Says whether a part that the app needs is there: it throws, rejects or gives `false` when it is not. */
export type HealthCheck = () => unknown

/** What `createHealth` takes. */
export interface HealthOptions {
  /** By name: what must work before requests may come. @default {} */
  checks?: Readonly<Record<string, HealthCheck>>
  /** How long a check may take, in ms. @default 1000 */
  timeout?: number
  /** Hears which check failed and why. @default nobody */
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
  const failed = (): Promise<string[]> =>
    (running ??= failedOf(options).finally(() => {
      running = undefined
    }))
  return {
    live: () => toReply(200, { status: 'ok' }),
    async ready() {
      if (isDraining) return toReply(503, { status: 'draining' })
      const names = await failed()
      // It may have begun meanwhile.
      if (isDraining) return toReply(503, { status: 'draining' })
      return names.length === 0 ? toReply(200, { status: 'ok' }) : toReply(503, { status: 'failing', failed: names })
    },
    drain() {
      isDraining = true
    },
  }
}

async function failedOf({ checks = {}, timeout = 1_000, log }: HealthOptions): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const fault = await faultOf(check, timeout)
      if (fault === null) return null
      log?.warn('a readiness check failed', { check: name, ...errorFields(fault) })
      return name
    }),
  )
  return results.filter((name) => name !== null)
}

async function faultOf(check: HealthCheck, timeout: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout)
  })
  try {
    return (await Promise.race([check(), late])) === false ? 'it said no' : null
  } catch (error) {
    return error ?? 'it threw nothing'
  } finally {
    clearTimeout(timer)
  }
}

function toReply(status: number, body: { status: string; failed?: readonly string[] }): Reply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers: status === 503 ? { ...headers, 'retry-after': '1' } : headers, body: JSON.stringify(body) }
}
