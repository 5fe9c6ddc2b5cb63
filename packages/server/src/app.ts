import { ApiError } from '@sdk/protocol'
import { createTrust } from './address.ts'
import type { Agent } from './agent.ts'
import { authenticate, sessionOf, type RequestAuth } from './auth-seat.ts'
import type { Call, Reply } from './call.ts'
import { createBackground } from './background.ts'
import type { ContextServices } from './context.ts'
import { assertAgents, assertDefinitions } from './definitions.ts'
import { agentEndpoint, descriptionEndpoint, getEndpoint, routeEndpoint, runAgent, type Endpoint } from './endpoint.ts'
import type { Engine } from './engine.ts'
import { requestCall, toResponse } from './fetch-door.ts'
import { createHandle, type Limits } from './handle.ts'
import { createIdempotency } from './idempotency.ts'
import { createKv } from './kv.ts'
import { createLog, type Log } from './log.ts'
import { memoryEngine } from './memory-engine.ts'
import { openapi, type OpenApiDocument, type OpenApiFacts } from './openapi.ts'
import { createOriginRules } from './origin.ts'
import { createLimiter, type RateLimits } from './rate-limit.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { createRouter, type Router, type RouterEntry } from './router.ts'
import { createRouteTable } from './route-table.ts'
import type { AnySocketDefinition } from './socket.ts'
import { createStamp } from './stamp.ts'
import { parseTarget } from './url.ts'

/** What `createApp` takes. */
export interface AppOptions<Known, Agents extends readonly Agent[]> {
  /** The agents, each at `POST /agent/{name}`. @default [] */
  agents?: Agents
  /** API routes, resources and sockets. @default none */
  router?: Router<Known>
  /** Quotas by policy, or `false` for none. @default 600 a minute, 120 for agents, 20 for signing in */
  rateLimit?: RateLimits | false
  /** Other origins whose pages may call, exactly as a browser sends them. @default [] */
  cors?: readonly string[]
  /** The proxies whose `X-Forwarded-For` is believed: addresses and networks. @default [] */
  trustedProxies?: readonly string[]
  /** Shared state; one for many processes makes them one service. @default memoryEngine() */
  engine?: Engine
  /** Where log lines go. @default JSON lines on standard output */
  log?: Log
  /** The sizes that a request may have. @default 1 MiB of body, 8 KiB of URL */
  limits?: Partial<Limits>
  /** Tell callers what helps to develop: `GET /agent/{name}` describes the agent. @default NODE_ENV is "development" */
  isDevelopment?: boolean
}

/** One line of the app's table of contents. */
export interface RouteInfo {
  readonly route: string
  readonly kind: 'agent' | 'route' | 'socket'
  readonly description: string | undefined
}

/** What a door needs to open a socket. */
export interface SocketAdmission {
  readonly path: string
  readonly socket: AnySocketDefinition
  readonly auth: RequestAuth | null
}

/** A composed application: give it to `serve`, or call its `fetch`. */
export interface App<Known = unknown> {
  readonly '~routes': Known
  readonly '~openapi': OpenApiFacts
  /** All routes, agents and sockets. */
  readonly routes: readonly RouteInfo[]
  readonly log: Log
  readonly rooms: Rooms
  /** Answers a web `Request`, with no port and no server. */
  fetch(request: Request): Promise<Response>
  /** Answers a call; never throws. */
  handle(call: Call): Reply | Promise<Reply>
  /** Lets a client in to a socket, or throws the `ApiError` to answer with. */
  admit(call: Call): Promise<SocketAdmission>
  /** The ids of the requests that are being answered, or have work in `waitUntil`. */
  running(): readonly string[]
  /** Waits for work that goes on after its answer, then closes what the app made. */
  close(): Promise<void>
}

/** The part of an app that a server needs; a dev server puts a changing app behind it. */
export type Servable = Pick<App, 'handle' | 'admit' | 'rooms' | 'log' | 'running' | 'close'>

type AgentRoutes<Agents extends readonly Agent[]> = {
  readonly [A in Agents[number] as `POST /agent/${A['name']}`]: A
}

/** Composes agents and routes into an application. */
export function createApp<Known = {}, const Agents extends readonly Agent[] = []>(
  options: AppOptions<Known, Agents> = {},
): App<Known & AgentRoutes<Agents>> {
  const { log = createLog(), engine = memoryEngine({ log }), rateLimit = {}, cors = [], trustedProxies = [] } = options
  const { isDevelopment = isDevelopmentByEnvironment() } = options
  const entries = (options.router ?? createRouter()).entries
  const middleware = entries.filter((entry) => entry.kind === 'middleware')
  const endpoints = endpointsOf(options.agents ?? [], entries)
  const described = isDevelopment ? (options.agents ?? []).flatMap(descriptionEndpoint) : []
  const sockets = socketsOf(entries)
  const session = sessionOf(middleware.map((entry) => entry.middleware))
  const rooms = createRooms(engine)
  const background = createBackground()
  const origins = createOriginRules(cors, session)
  const limits = { body: 1_048_576, target: 8_192, ...options.limits }
  const facts: OpenApiFacts = { endpoints, hasAuth: session !== null, limits }
  let document: OpenApiDocument | undefined
  const documented = getEndpoint('/api/v1/openapi.json', () => (document ??= openapi({ '~openapi': facts })))
  const services: ContextServices = {
    log,
    kv: createKv(engine),
    run: (agent, input, caller) => runAgent(agent, input, caller.nested(`POST /agent/${agent.name}`)),
    waitUntil: background.add,
    publish: rooms.publish,
  }
  const handle = createHandle({
    table: createRouteTable([...endpoints, ...described, ...documented], middleware),
    services,
    limiter: createLimiter(rateLimit, engine, log),
    origins,
    stamp: createStamp(origins.isOpen),
    session,
    isTrustedProxy: createTrust(trustedProxies),
    isSocket: (path) => sockets.has(path),
    limits,
    tools: { maxBody: limits.body, idempotency: createIdempotency(engine, { log }) },
  })

  return {
    '~routes': undefined as never,
    '~openapi': facts,
    routes: [
      ...endpoints.map(({ route, kind, definition }) => ({ route, kind, description: definition.description })),
      ...Array.from(sockets, ([route, { description }]) => ({ route, kind: 'socket' as const, description })),
    ],
    log,
    rooms,
    handle: handle.answer,
    fetch: async (request) => toResponse(await handle.answer(requestCall(request)), request.method),
    async admit(call) {
      const { path } = parseTarget(call.target)
      const socket = sockets.get(path)
      if (socket === undefined) throw new ApiError('NOT_FOUND', `there is no socket at ${path}`)
      if (!origins.isOwn(call)) throw new ApiError('FORBIDDEN', 'sockets are not open to pages of another origin')
      return { path, socket, auth: await authenticate(call, session) }
    },
    running: () => [...new Set([...handle.running(), ...background.ids()])],
    async close() {
      await background.settled()
      // An engine that was given may serve others.
      if (options.engine === undefined) await engine.close()
    },
  }
}

function endpointsOf(agents: readonly Agent[], entries: readonly RouterEntry[]): Endpoint[] {
  const own = agents.map(agentEndpoint)
  assertAgents(agents)
  const endpoints = [...own, ...entries.filter((entry) => entry.kind === 'route').flatMap(routeEndpoint)]
  assertDefinitions(endpoints, entries)
  return endpoints
}

function socketsOf(entries: readonly RouterEntry[]): Map<string, AnySocketDefinition> {
  return new Map(entries.flatMap((entry) => (entry.kind === 'socket' ? [[entry.path, entry.socket.definition]] : [])))
}

function isDevelopmentByEnvironment(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.['NODE_ENV'] === 'development'
}
