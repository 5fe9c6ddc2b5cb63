import { RequestContext, type ContextServices } from '../context/context.ts'
import type { RunInfo, ThreadInfo } from '../context/durable-context.ts'
import type { AgentRef, StartableIO, StartedRun, StartOptions } from '../context/start.ts'
import type { RequestAuth } from '../auth/identity.ts'
import type { BackgroundRun, ObserveRun, RunObserver } from '../observe/request-observer.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import { isAgent, type Agent } from '../define/agent.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { ActiveRun } from './active-run.ts'
import { isStreamingAgent, type RunThread } from './execute-run.ts'
import { StepUsageError } from './run-error.ts'
import type { ClaimedRun, RunStore } from './store/run-store.ts'
import { tickOf } from './tick-key.ts'
import { createRunTools, type RunTools, type StepDependencies } from './step/steps.ts'

/** Options for a run's context. Headers and cookies are not stored with a run. */
interface RunContextOptions {
  readonly route: string
  readonly services: ContextServices
  readonly run: RunInfo
  /** Creates the functions that only runs have. They are created on first use. */
  createTools(this: void): RunTools
  readonly runThread: RunThread | null
  readonly auth: RequestAuth | null
  readonly address: string
  readonly trace: string | null
  readonly controlled: Pick<ActiveRun, 'controller'>
}

/** The parts of the app that are used by runs. */
export interface RunHost {
  readonly services: ContextServices
  readonly session: UserSource | null
  /** Observes the runs that no request observes. @default not observed */
  readonly observeRun?: ObserveRun | undefined
}

interface RunExecution {
  readonly start: Pick<ClaimedRun, 'id' | 'epoch' | 'userId' | 'key' | 'thread' | 'address' | 'trace'>
  readonly agent: Agent
  readonly auth: RequestAuth | null
  readonly host: RunHost
  readonly steps: Pick<StepDependencies, 'retract' | 'send' | 'process'> & { readonly store: RunStore }
  readonly observer: RunObserver | undefined
}

/** Creates the context for an execution of a run. */
export function createRunContext(
  run: ActiveRun,
  { start, agent, auth, host, steps, observer }: RunExecution,
): RunContext {
  const { id, epoch, key, address, trace } = start
  const { events = {}, durable } = agent
  const createTools = (): RunTools =>
    createRunTools(run, {
      ...steps,
      events,
      retries: durable?.retries ?? 0,
      log: () => ctx.log,
      start: (call) => host.services.start({ ...call, caller: ctx }),
      transaction: (work) => host.services.transaction(work, {}, ctx),
    })
  const ctx: RunContext = new RunContext({
    route: `POST /agent/${agent.name}`,
    services: host.services,
    run: { id, attempt: epoch, scheduledAt: tickOf(agent.name, key) },
    createTools,
    runThread: toRunThread(start, agent, steps.store),
    auth,
    address,
    trace,
    controlled: run,
  })
  ctx.observer = observer
  return ctx
}

/** Describes a run to the observer of runs without a request. */
export function toBackgroundRun(
  { id, agent, key, input }: Pick<ClaimedRun, 'id' | 'agent' | 'key' | 'input'>,
  auth: RequestAuth | null,
): BackgroundRun {
  return { id, route: `POST /agent/${agent}`, input, auth, isScheduled: tickOf(agent, key) !== null }
}

/** Returns the thread of a run, or null if the run has none. */
function toRunThread(
  { userId, thread }: RunExecution['start'],
  { name: agent }: Agent,
  { threads }: RunStore,
): RunThread | null {
  if (userId === null || thread === null) return null
  const load = async (): Promise<string | null> => (await threads.get({ agent, userId, thread }))?.state ?? null
  return { info: { id: thread, state: null }, load }
}

/** The context of a durable agent's handler. It is the same in every attempt, and does not depend on a request. */
class RunContext extends RequestContext {
  readonly run: RunInfo
  /** The thread with the function that loads its state. */
  readonly runThread: RunThread | null
  readonly #createTools: () => RunTools
  #created: RunTools | undefined

  constructor({ route, services, run, createTools, runThread, auth, address, trace, controlled }: RunContextOptions) {
    super(createRunRequest({ route, address, trace, controlled }), route, services)
    this.run = run
    this.runThread = runThread
    this.#createTools = createTools
    this.auth = auth
    this.address = address
    this.requestId = run.id
    this.rateLimitKey = auth === null ? address : `user ${auth.session.userId}`
  }

  get #tools(): RunTools {
    return (this.#created ??= this.#createTools())
  }

  override get step(): RunTools['step'] {
    return this.#tools.step
  }

  override get sleep(): RunTools['sleep'] {
    return this.#tools.sleep
  }

  override get wait(): RunTools['wait'] {
    return this.#tools.wait
  }

  override start<IO extends StartableIO>(
    agent: AgentRef<IO>,
    input: IO['input'],
    options?: StartOptions,
  ): Promise<StartedRun> {
    return this.#tools.start(agent, input, options)
  }

  override call(callee: AgentRef | string, ...rest: readonly unknown[]): Promise<never> {
    if (!isAgent(callee) || callee.durable === undefined) return super.call(callee, ...rest)
    if (!isStreamingAgent(callee)) return this.#tools.call(callee, rest[0]) as Promise<never>
    const message = `ctx.call cannot call the durable agent ${callee.name}, which streams: start it with ctx.start`
    return Promise.reject(new StepUsageError(message))
  }

  override get thread(): ThreadInfo | null {
    return this.runThread?.info ?? null
  }

  override header(): null {
    return null
  }
}

/** Returns the identity of a run's user. */
export function toRunAuth(id: string, caller: RunCaller): RequestAuth {
  const session = { id: `run ${id}`, userId: caller.session.userId, expiresAt: '9999-12-31T23:59:59.999Z' }
  return { getUser: () => caller.getUser(), session, via: 'run' }
}

/** The lookup of users by id. */
export type UserSource = Pick<SessionProvider, 'getUser'>

/** Finds the user of a run that continues without a request. Returns `deleted` if the user no longer exists. */
export async function findRunAuth(
  { id, userId }: Pick<ClaimedRun, 'id' | 'userId'>,
  source: UserSource | null,
): Promise<RequestAuth | null | 'deleted'> {
  if (userId === null) return null
  const session = { userId }
  const getUser = source?.getUser?.bind(source)
  if (getUser === undefined) return toRunAuth(id, { session, getUser: missingLookup })
  const user = await getUser(userId)
  return user === null ? 'deleted' : toRunAuth(id, { session, getUser: async () => (await getUser(userId)) ?? user })
}

function missingLookup(): Promise<never> {
  const message = 'ctx.auth.getUser() cannot find the user of the run: implement getUser in the session provider'
  return Promise.reject(new TypeError(message))
}

type RunCaller = Pick<RequestAuth, 'getUser'> & { readonly session: Pick<RequestAuth['session'], 'userId'> }

type RunRequestOptions = Pick<RunContextOptions, 'route' | 'address' | 'trace' | 'controlled'>

function createRunRequest({ route, address, trace, controlled }: RunRequestOptions): ServerRequest {
  return {
    method: 'POST',
    target: route.slice(route.indexOf(' ') + 1),
    ip: address,
    isSecure: false,
    rawHeaders: [],
    get signal(): AbortSignal {
      return controlled.controller.signal
    },
    header: (name) => (name === 'traceparent' ? trace : null),
    text: () => '',
    get request(): Request {
      throw new TypeError(
        'ctx.request cannot be used in a durable agent, whose run may continue without a request: send the data as input',
      )
    },
  }
}
