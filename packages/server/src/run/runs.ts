import type { RequestContext, RunStartCall } from '../context/context.ts'
import type { StartedRun, StartRun } from '../context/start.ts'
import type { TransactionQuery } from '../context/transaction.ts'
import type { Agent } from '../define/agent.ts'
import type { StartHook } from '../define/on-start.ts'
import { agentEndpoint, createEndpoint, type PublicEndpoint } from '../endpoint/endpoint.ts'
import type { Reply } from '../http/reply.ts'
import { parseQuery } from '../http/url.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import type { ObserveRun } from '../observe/request-observer.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { unref } from '../platform/unref-timer.ts'
import { memoryRuns } from './store/memory-run-store.ts'
import type { RunHost } from './run-context.ts'
import type * as RunHandlers from './run-endpoints.ts'
import { RUN_DEFINITIONS, toEventDefinition, toThreadDefinition, type RunRoute } from './run-schemas.ts'
import type { RunStore } from './store/run-store.ts'
import type { Runner, RunnerDependencies } from './runner.ts'
import type { Scheduler } from './scheduler.ts'
import type * as RunStarts from './start-background.ts'

/** The durable agents of an app. */
export interface Runs {
  endpointsOf(this: void, agent: Agent): PublicEndpoint[]
  /** The readiness check for the store. */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** The hook that starts executing runs. Runs are released when the app stops or is replaced. */
  readonly starts: readonly StartHook[]
  /** Releases all runs, so that another process continues them. */
  drain(this: void): void
  deleteUser(this: void, userId: string): Promise<void>
  /** Starts a run of the app itself in the background. */
  readonly start: StartRun
  /** Starts a run of a caller in the background. */
  startFor(this: void, start: RunStartCall): Promise<StartedRun>
  /** Starts a run in the current transaction. */
  startInside(this: void, start: RunStartCall, query: TransactionQuery): Promise<StartedRun>
  /** Returns what the runner uses, or null without durable agents. Tests change it and create further runners. */
  dependencies(this: void): RunnerDependencies | null
  close(this: void): Promise<void>
}

/** Options for `createRuns`. */
export interface RunsOptions {
  readonly store: RunStore | undefined
  /** Observes the runs that no request observes. @default not observed */
  readonly observeRun?: ObserveRun | undefined
  readonly log: Log
  /** Returns the parts of the app that handlers use. They are created after the runs. */
  host(): Omit<RunHost, 'observeRun'>
}

/** Creates the `Runs` of an app. They do nothing if the app has no durable agents. */
export function createRuns(agents: readonly Agent[], { store: given, observeRun, log, host }: RunsOptions): Runs {
  const durable = agents.filter((agent) => agent?.durable !== undefined)
  if (durable.length === 0) return NO_RUNS
  const store = given ?? memoryRuns()
  let loading: Promise<LoadedRuns> | undefined
  let parts: RunnerDependencies | undefined
  const dependencies = (): RunnerDependencies =>
    (parts ??= { store, agents: durable, log, host: { ...host(), observeRun } })
  const load: LoadRuns = () => (loading ??= loadRuns(dependencies()))
  const startFor: Runs['startFor'] = async (call) => {
    const { runner, starts } = await load()
    return starts.startInBackground(call, runner)
  }
  const close = async (): Promise<void> => {
    const loaded = await loading
    loaded?.scheduler.stop()
    await loaded?.runner.close()
    if (given === undefined) await store.close()
  }
  return {
    endpointsOf: (agent) => runEndpoints(agent, load),
    checks: { runs: () => store.ready() },
    drain: () => void load().then(({ runner, scheduler }) => (scheduler.stop(), runner.drain())),
    deleteUser: (userId) => store.deleteUser(userId),
    start: (agent, input, options) => startFor({ agent, input, options, caller: null }),
    startFor,
    async startInside(call, query) {
      const { runner, starts } = await load()
      return starts.startInTransaction(call, query, runner)
    },
    dependencies,
    close,
    starts: [{ start: () => (start(load, { log, isStored: given !== undefined }), close) }],
  }
}

interface LoadedRuns {
  readonly runner: Runner
  readonly scheduler: Scheduler
  readonly handlers: typeof RunHandlers
  readonly starts: typeof RunStarts
}

type LoadRuns = () => Promise<LoadedRuns>

/** Loads the code that executes runs. It is loaded on demand, since most apps have no durable agents. */
async function loadRuns(dependencies: RunnerDependencies): Promise<LoadedRuns> {
  const modules = [
    import('./runner.ts'),
    import('./scheduler.ts'),
    import('./run-endpoints.ts'),
    import('./start-background.ts'),
  ] as const
  const [{ Runner }, { Scheduler }, handlers, starts] = await Promise.all(modules)
  const runner = new Runner(dependencies)
  return { runner, scheduler: new Scheduler(runner, dependencies), handlers, starts }
}

/** Creates the endpoints of a durable agent: the agent itself and its runs. */
function runEndpoints(agent: Agent, load: LoadRuns): PublicEndpoint[] {
  const base = `/agent/${agent.name}/runs`
  const definitions =
    agent.state === undefined ? RUN_DEFINITIONS : { ...RUN_DEFINITIONS, thread: toThreadDefinition(agent.state) }
  const route = (method: string, path: string, name: RunRoute): PublicEndpoint => ({
    kind: 'route',
    route: `${method} ${path}`,
    method,
    path,
    definition: { ...definitions[name], handler: () => null },
    at: agent.at,
    isStatic: !path.includes(':'),
    run: async (ctx: RequestContext): Promise<Reply> => {
      ctx.query = parseQuery(ctx.search)
      const { runner, handlers } = await load()
      return handlers.RUN_HANDLERS[name](agent, ctx, runner)
    },
  })
  return [
    agentEndpoint(agent, async (_definition, asked) => {
      const { runner, handlers } = await load()
      return handlers.startRun(agent, asked, runner)
    }),
    route('GET', base, 'list'),
    route('GET', `${base}/:run`, 'get'),
    route('DELETE', `${base}/:run`, 'cancel'),
    route('GET', `${base}/:run/chunks`, 'chunks'),
    route('GET', `/agent/${agent.name}/threads`, 'threads'),
    route('GET', `/agent/${agent.name}/threads/:thread`, 'thread'),
    route('DELETE', `/agent/${agent.name}/threads/:thread`, 'deleteThread'),
    ...Object.entries(agent.events ?? {}).map(([event, schema]) => {
      const path = `${base}/:run/events/${event}`
      const definition = { ...toEventDefinition(event, schema), handler: () => null }
      return createEndpoint({ kind: 'route', method: 'POST', path, definition, at: agent.at }, async (_, asked) => {
        const { runner, handlers } = await load()
        return handlers.sendEvent(agent, { event, ...asked }, runner)
      })
    }),
  ]
}

/** How long to wait before joining a store again that was unavailable, in ms. */
const JOIN_MS = 5_000

/** Starts joining the store without waiting for it to open. Tries again while the store is unavailable. */
function start(load: LoadRuns, { log, isStored }: { log: Log; isStored: boolean }): void {
  if (!isStored)
    log.warn('the runs of durable agents are lost when the process ends: pass a run store to createApp({ runs })')
  const failures = throttleLog(log)
  const report = (error: unknown): void => failures.error('the run store is not ready', errorFields(error))
  const join = async ({ runner }: Pick<LoadedRuns, 'runner'>): Promise<void> => {
    try {
      await runner.join()
    } catch (error) {
      report(error)
      if (!runner.news.isClosed) unref(setTimeout(() => void join({ runner }), JOIN_MS))
    }
  }
  load()
    .then((loaded) => (void loaded.scheduler.start(), join(loaded)))
    .catch(report)
}

async function rejectStart({ agent }: Pick<RunStartCall, 'agent'>): Promise<never> {
  throw new TypeError(`start(${agent?.name}) must name a durable agent: the app has none; set durable: true`)
}

const NO_RUNS: Runs = {
  endpointsOf: () => [],
  checks: {},
  starts: [],
  drain: () => {},
  deleteUser: () => Promise.resolve(),
  start: (agent) => rejectStart({ agent }),
  startFor: rejectStart,
  startInside: rejectStart,
  dependencies: () => null,
  close: () => Promise.resolve(),
}
