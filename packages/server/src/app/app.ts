import { LIVE_SOCKET, type ApiError, type HasTypes, type RouteIO, type RunRoutes } from '@sdk/protocol'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { HealthCheck } from '../observe/health-check.ts'
import { REQUEST_LIMITS, type RequestLimits } from '../http/request-limits.ts'
import type { Agent } from '../define/agent.ts'
import { createRouter, type Router } from '../define/router.ts'
import { createStartHooks, type MessageOf, type AppHandle, type StartHooks } from '../define/on-start.ts'
import type { Engine } from '../engine/engine.ts'
import { createKv } from '../engine/kv.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createAdmission, type Admit, type Guards } from '../guard/socket-admission.ts'
import type { ProcessPool } from '../platform/process-pool.ts'
import { createBackground } from './background.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import type { ErrorReply } from '../http/error-response.ts'
import { collectDefinitions } from './collect-definitions.ts'
import { createErrorFormatter, type FormatError } from './format-error.ts'
import { respond } from './fetch-adapter.ts'
import { createNestedRuns } from './nested-runs.ts'
import { createRequestHandler } from './request-handler.ts'
import { createOriginRules } from '../guard/origin.ts'
import { ownsTarget, systemEndpoints } from './system-endpoints.ts'
import { createRateLimitKeys, createRateLimiter, type RateLimits } from '../guard/rate-limit.ts'
import { listRoutes, type RouteInfo } from './route-info.ts'
import { createRouteTable } from './route-table.ts'
import { createDefaultHeaders } from '../guard/default-headers.ts'
import { createIdempotency } from '../idempotency/idempotency.ts'
import { createLive, type Live } from '../live/create-live.ts'
import type { LiveHost } from '../live/open-source.ts'
import { createAccessLog } from '../log/access-log.ts'
import { createLog, type Log } from '../log/log.ts'
import { toLog, type PinoLike } from '../log/pino.ts'
import type { OpenApiInfo } from '../openapi/openapi.ts'
import type { RunStore } from '../run/store/run-store.ts'
import { createRuns, type Runs, type RunsOptions } from '../run/runs.ts'
import { createSocketHub, type SocketHub } from '../socket/hub.ts'
import type { SocketLimits } from '../socket/limits.ts'
import { Health } from './health.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { openModelCalls } from '../observe/model-calls.ts'
import { isDevelopmentByEnvironment } from '../platform/is-development.ts'
import { createRecordSink } from './record-sink.ts'
import { createTracer } from '../observe/otel.ts'
import type { ObserveRun } from '../observe/request-observer.ts'
import { createCancellations } from '../tool/cancellations.ts'

/** Options for `createApp`. */
export interface AppOptions<Known, Agents extends readonly Agent[]> {
  /** The agents, each served at `POST /agent/{name}`. @default [] */
  agents?: Agents
  /** The API routes, resources and sockets. @default none */
  router?: Router<Known>
  /** The rate limits by policy, or `false` to disable them. @default 600 per minute, 120 for agents, 20 for sign-ins */
  rateLimit?: RateLimits | false
  /** Additional origins that may call the app, exactly as a browser sends them. @default [] */
  cors?: readonly string[]
  /** The addresses and networks of the proxies whose `X-Forwarded-For` header is trusted. @default [] */
  trustedProxies?: readonly string[]
  /** The store for shared state. Processes with the same engine form one service. @default memoryEngine() */
  engine?: Engine
  /**
   * The store for the runs of durable agents. Processes with the same store continue each other's runs. The app does
   * not close it. @default in memory: runs end with the process
   * @example runs: postgresRuns()
   */
  runs?: RunStore
  /**
   * An existing socket hub that uses the same engine. The app takes it over in `ready()` but never closes it.
   * @default a new hub
   */
  sockets?: SocketHub
  /** The logger, such as a pino instance. @default standard output: JSON, or readable lines on a terminal */
  log?: Log | PinoLike
  /** Limits on requests and socket clients. @default 1 MiB for a body, 8 KiB for a URL */
  limits?: RequestLimits & { socket?: SocketLimits }
  /** Whether to serve Prometheus metrics at `/metrics`. @default false */
  metrics?: boolean
  /** The readiness checks for `/readyz`, by name. @default none */
  checks?: Readonly<Record<string, HealthCheck>>
  /**
   * Converts every error that the app returns to a response in your own format. Socket errors are not converted.
   * @default the error envelope
   * @example ({ status, message }) => ({ status, body: { message } })
   */
  formatError?: FormatError
  /**
   * Whether to enable development aids, such as descriptions of agents at `GET /agent/{name}`.
   * @default true if NODE_ENV is "development"
   */
  isDevelopment?: boolean
  /**
   * The other processes that serve the app at the same address. Only one of them runs the `onStart` hooks.
   * @internal
   */
  '~pool'?: ProcessPool | undefined
  /**
   * Observes the runs of durable agents that no request observes.
   * @internal
   */
  '~observeRun'?: ObserveRun | undefined
}

/** A composed application. Pass it to `serve`, or call its `fetch`. */
export interface App<Known = unknown> extends AppHandle {
  readonly '~routes': Known
  readonly '~openapi': OpenApiInfo
  readonly '~starts': StartHooks
  /** Lists the inputs that have no maximum size, such as `POST /agent/chat messages`. */
  readonly '~unbounded': () => string[]
  /** Returns what the runner of durable agents uses, or null without such agents. */
  readonly '~runs': Runs['dependencies']
  /** The live data of this process. */
  readonly '~live': Live
  /** All routes, agents and sockets. */
  readonly routes: readonly RouteInfo[]
  /** The hub that manages the socket connections. */
  readonly sockets: SocketHub
  // `Routes` is inferred from `this`. With `Known` instead, an app with routes could not be passed as an `App`.
  /**
   * Sends a message to all members of a room, in every process, for example from a timer or a worker. The message type
   * is the union of all messages that the app's sockets send. The message is not validated, since a room does not
   * belong to a single socket.
   * @example await app.publish('lobby', { from: 'the server', text: 'Tea is ready' })
   */
  publish<Routes>(this: { readonly '~routes': Routes }, room: string, message: MessageOf<Routes>): Promise<void>
  /**
   * Handles a web `Request` without a port or a server. `ip` is the client's address, as provided by the platform.
   * `waitUntil` is the platform's function that waits for background work, if it has one.
   */
  fetch(
    request: Request,
    from?: { readonly ip?: string; readonly waitUntil?: (work: Promise<unknown>) => void },
  ): Promise<Response>
  /** Handles a request. Never throws. */
  handle(call: ServerRequest): Reply | Promise<Reply>
  /** Creates the reply to a request that could not be parsed. */
  toErrorReply(error: ApiError): ErrorReply
  /** Admits a client to a socket, or throws an `ApiError` that becomes the response. */
  readonly admit: Admit
  /** The metrics, or null if they are disabled. */
  readonly metrics: Metrics | null
  /** Returns whether the app handles this path. All other paths may belong to the web app. */
  owns(target: string): boolean
  /**
   * Starts using the socket hub from the options and begins to open the stores, which may still be opening during the
   * first requests. Resolves when tracing is ready and the `onStart` hooks have run.
   */
  ready(): Promise<void>
  /** Makes `/readyz` fail, so that no more requests are sent to this process. */
  drain(): void
  /** Returns the ids of the requests that are still running or have pending `waitUntil` work. */
  running(): readonly string[]
  /** Waits for `waitUntil` work, runs the `onStart` cleanup functions, and closes everything that the app created. */
  close(): Promise<void>
}

/** The part of an app that a server uses. The dev server implements it with an app that can be reloaded. */
export type Servable = Omit<
  App,
  | ('~routes' | '~openapi' | '~starts' | '~unbounded' | '~runs' | '~live')
  | ('routes' | 'fetch' | Exclude<keyof AppHandle, 'log'>)
>

type AgentRoutes<Agents extends readonly Agent[]> = {
  readonly [A in Agents[number] as `POST /agent/${A['name']}`]: A
} & RunRoutesOf<Extract<Agents[number], DurableAgent>>

type DurableAgent = Agent & HasTypes<RouteIO & { durable: true }>

/** The routes for the runs of durable agents. */
type RunRoutesOf<A extends DurableAgent> = {
  readonly [R in RunRouteName<A>]: R extends `${infer Method} /agent/${infer Name}/${infer Path}`
    ? RunRoutes<Extract<A, { name: Name }>>[`${Method} /${Path}` & keyof RunRoutes<Extract<A, { name: Name }>>]
    : never
}

type RunRouteName<A extends DurableAgent> = A extends DurableAgent ? RunRouteOf<A['name'], keyof RunRoutes<A>> : never

type RunRouteOf<Name extends string, Each> = Each extends `${infer Method} ${infer Path}`
  ? `${Method} /agent/${Name}${Path}`
  : never

/**
 * Composes agents and a router into an app. Pass it to `serve`, or call its `fetch`. In a project, the commands
 * `sdk dev` and `sdk start` create and serve the app.
 * @example const app = createApp({ agents: [summarize], router, cors: ['https://app.example.com'] })
 */
export function createApp<Known = {}, const Agents extends readonly Agent[] = []>(
  options: AppOptions<Known, Agents> = {},
): App<Known & AgentRoutes<Agents>> {
  const log = toLog(options.log ?? createLog())
  const { engine = memoryEngine({ log }), agents = [], isDevelopment = isDevelopmentByEnvironment() } = options
  const [limits, pool] = [{ ...REQUEST_LIMITS, ...options.limits }, options['~pool']]

  // Definitions from the agents and the router.
  const runs = createRuns(agents, { ...toRunsOptions(options), log, host: () => ({ services, session }) })
  const defined = collectDefinitions(agents, options.router ?? createRouter(), { limits: options.limits, runs })
  const { endpoints, stores, session } = defined
  const document = { endpoints, hasAuth: session !== null, hasEnvelope: options.formatError === undefined, limits }

  // Observability.
  const checks = { ...stores.checks, ...runs.checks, ...(engine.check && { engine: engine.check }), ...options.checks }
  const [health, metrics] = [new Health({ log, checks }), options.metrics === true ? createMetrics() : null]
  const [tracer, access, models] = [createTracer(), createAccessLog({ log }), openModelCalls(metrics, isDevelopment)]
  const system = systemEndpoints({ described: isDevelopment ? agents : [], document, health, metrics, session })

  // Live data and sockets. The parts of the host are created below.
  const host = (): LiveHost => ({ ...guards, services, tools, endpoints, find: table.find })
  const [live, cancellations] = [createLive({ engine, log, metrics, host }), createCancellations(engine, log)]
  const sockets = new Map(defined.sockets).set(LIVE_SOCKET, live.socket)
  const socketUser = { sockets, limits: limits.socket, getActiveSessions: session?.getActiveSessions?.bind(session) }
  const hub = options.sockets ?? createSocketHub({ engine, log, ...socketUser })
  const leaveAuth = session?.join?.({ engine, log, end: hub.end, recheck: live.recheck, deleteRuns: runs.deleteUser })
  const leave = (): unknown => (live.close(), cancellations.close(), models?.close(), leaveAuth?.())

  // Access control, for HTTP and sockets.
  const guards = createGuards(options, { session, engine, log })

  // Services for handlers.
  const [{ publish, disconnect, presence }, kv] = [hub, createKv(engine)]
  const running: AppHandle = { log, kv, publish, disconnect, presence, start: runs.start, touch: live.touch }
  const [starts, background] = [createStartHooks(defined.starts, running, pool), createBackground()]
  const tools = { limits, isDevelopment, idempotency: createIdempotency(engine, { log }) }
  const nested = createNestedRuns(tracer, runs, { ...guards, endpoints, tools, cancellations, table: () => table })
  const services = { log, sockets: hub, kv, waitUntil: background.add, touch: live.touch, models, ...nested }

  const table = createRouteTable([...endpoints, ...system], defined.middleware)
  const shared = { ...guards, table, services, tracer, limits, tools }
  const handler = createRequestHandler({
    ...shared,
    defaultHeaders: createDefaultHeaders(guards.origins.isOpen),
    isSocket: (path) => sockets.has(path),
    records: createRecordSink(access, metrics),
    formatError: createErrorFormatter(options.formatError, log),
  })

  // An engine or hub from the options may be shared, so the app closes only those it created.
  const [closeHub, closeEngine] = [options.sockets ? null : hub.close, options.engine ? null : engine.close]

  return {
    ...running,
    ...handler,
    '~routes': undefined as never,
    '~openapi': document,
    '~starts': starts,
    '~unbounded': defined.unbounded,
    '~runs': runs.dependencies,
    '~live': live,
    routes: listRoutes(endpoints, defined.sockets, isDevelopment),
    sockets: hub,
    metrics,
    fetch: (request, from) => respond(request, (call) => handler.handle(call), from),
    admit: createAdmission({ ...shared, sockets, middleware: defined.middleware, limits: hub.limits, pool }),
    owns: (target) => ownsTarget(target, { metrics, session }),
    ready: () => inOrder(() => (options.sockets?.use(socketUser), defined.open(log)), tracer.ready, starts.begin),
    drain: () => (health.drain(), runs.drain()),
    running: () => [...new Set([...background.ids(), ...handler.running()])],
    close: () =>
      inOrder(runs.close, background.settled, starts.stop, leave, closeHub, stores.close, closeEngine, access.flush),
  }
}

function toRunsOptions({
  runs: store,
  '~observeRun': observeRun,
}: Pick<AppOptions<unknown, []>, 'runs' | '~observeRun'>): Pick<RunsOptions, 'store' | 'observeRun'> {
  return { store, observeRun }
}

function createGuards(
  {
    cors = [],
    rateLimit = {},
    trustedProxies = [],
  }: Pick<AppOptions<unknown, []>, 'cors' | 'rateLimit' | 'trustedProxies'>,
  { session, engine, log }: { session: SessionProvider | null; engine: Engine; log: Log },
): Omit<Guards, 'services'> {
  return {
    session,
    origins: createOriginRules(cors, session),
    limiter: createRateLimiter(rateLimit, engine, log),
    toRateLimitKeys: createRateLimitKeys(trustedProxies),
  }
}

/** Runs steps in sequence. Their order matters: background work may need the engine, and all steps may log. */
async function inOrder(...steps: readonly ((() => unknown) | null)[]): Promise<void> {
  for (const step of steps) await step?.()
}
