import type { Agent } from '../define/agent.ts'
import type { StartHook } from '../define/on-start.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { Log } from '../log/log.ts'
import { memoryRuns } from './memory-run-store.ts'
import { runEndpoints } from './run-endpoints.ts'
import type { RunStore } from './run-store.ts'
import { Runner, type RunHost } from './runner.ts'

/** The durable agents of an app. */
export interface Runs {
  endpointsOf(this: void, agent: Agent): PublicEndpoint[]
  /** The readiness check for the store. */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** The hook that starts executing runs. Runs are released when the app stops or is replaced. */
  readonly starts: readonly StartHook[]
  /** Sets the parts of the app that handlers use. */
  use(this: void, host: RunHost): void
  /** Releases all runs, so that another process continues them. */
  drain(this: void): void
  deleteUser(this: void, userId: string): Promise<void>
  close(this: void): Promise<void>
}

/** Creates the `Runs` of an app. They do nothing if the app has no durable agents. */
export function createRuns(agents: readonly Agent[], store: RunStore | undefined, log: Log): Runs {
  const durable = agents.filter((agent) => agent?.durable !== undefined)
  if (durable.length === 0) return NO_RUNS
  const used = store ?? memoryRuns()
  const runner = new Runner({ store: used, agents: durable, log })
  const close = async (): Promise<void> => {
    await runner.close()
    if (store === undefined) await used.close()
  }
  return {
    endpointsOf: (agent) => runEndpoints(agent, runner),
    checks: { runs: () => used.ready() },
    use: (host) => runner.use(host),
    drain: () => void runner.drain(),
    deleteUser: (userId) => used.deleteUser(userId),
    close,
    starts: [{ start: () => start(runner, { log, isStored: store !== undefined, close }) }],
  }
}

interface StartOptions {
  readonly log: Log
  readonly isStored: boolean
  readonly close: () => Promise<void>
}

/** Starts joining the store without waiting for it to open. */
function start(runner: Runner, { log, isStored, close }: StartOptions): () => Promise<void> {
  if (!isStored)
    log.warn('the runs of durable agents are lost when the process ends: pass a run store to createApp({ runs })')
  runner.join().catch((error: unknown) => log.error('the run store is not ready', { error: String(error) }))
  return close
}

const NO_RUNS: Runs = {
  endpointsOf: () => [],
  checks: {},
  starts: [],
  use: () => {},
  drain: () => {},
  deleteUser: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
