import { ApiError } from '@sdk/protocol'
import type { Agent } from './agent.ts'
import { fillAuth, isSessionMiddleware, type Authenticate, type RequestAuth } from './auth-seat.ts'
import type { Call, Reply } from './call.ts'
import { CallContext, type ContextServices } from './context.ts'
import { agentEndpoint, routeEndpoint, runAgent } from './endpoint.ts'
import { memoryEngine, type Engine } from './engine.ts'
import { errorReply, toApiError } from './error-response.ts'
import { requestCall, toResponse } from './fetch-door.ts'
import { createLog, errorFields, withFields, type Log } from './log.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { createRouter, type Middleware, type Router } from './router.ts'
import { createRouteTable, type RouteTable } from './route-table.ts'
import { fromResponse } from './reply.ts'
import type { AnySocketDefinition } from './socket.ts'
import { parseQuery, parseTarget } from './url.ts'

/** What `createApp` takes. */
export interface AppOptions<Known, Agents extends readonly Agent[]> {
  /** The agents, each at `POST /agent/{name}`. @default [] */
  agents?: Agents
  /** API routes, resources and sockets. @default none */
  router?: Router<Known>
  /** Shared state; one for many processes makes them one service. @default memoryEngine() */
  engine?: Engine
  /** Where log lines go. @default JSON lines on standard output */
  log?: Log
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
  /** All routes, agents and sockets. */
  readonly routes: readonly RouteInfo[]
  readonly log: Log
  readonly rooms: Rooms
  /** Answers a web `Request`, with no port and no server. */
  fetch(request: Request): Promise<Response>
  /** Answers a call; never throws. */
  handle(call: Call): Promise<Reply>
  /** Lets a client in to a socket, or throws the `ApiError` to answer with. */
  admit(call: Call): Promise<SocketAdmission>
  /** Waits for work that goes on after its answer, then closes the engine. */
  close(): Promise<void>
}

type AgentRoutes<Agents extends readonly Agent[]> = {
  readonly [A in Agents[number] as `POST /agent/${A['name']}`]: A
}

/** Composes agents and routes into an application. */
// oxlint-disable-next-line typescript/no-empty-object-type -- without a router there are no routes
export function createApp<Known = {}, const Agents extends readonly Agent[] = []>(
  options: AppOptions<Known, Agents> = {},
): App<Known & AgentRoutes<Agents>> {
  const { engine = memoryEngine(), log = createLog() } = options
  const agents = options.agents ?? []
  const entries = (options.router ?? createRouter()).entries
  const rooms = createRooms(engine)
  const pending = new Set<Promise<unknown>>()
  const authenticate =
    entries
      .map((entry) =>
        entry.kind === 'middleware' && isSessionMiddleware(entry.middleware) ? entry.middleware.authenticate : null,
      )
      .find((found) => found !== null) ?? null
  const endpoints = [
    ...agents.map(agentEndpoint),
    ...entries.flatMap((entry) => (entry.kind === 'route' ? routeEndpoint(entry) : [])),
  ]
  const middleware = entries.flatMap((entry) => (entry.kind === 'middleware' ? [entry] : []))
  const sockets = new Map(
    entries.flatMap((entry) => (entry.kind === 'socket' ? [[entry.path, entry.socket.definition] as const] : [])),
  )
  const services: ContextServices = {
    log,
    run: (agent, input, caller) => runAgent(agent, input, caller.nested(`POST /agent/${agent.name}`)),
    waitUntil(work, where) {
      const settled = work
        .catch((error: unknown) => where.error('work in waitUntil failed', errorFields(error)))
        .finally(() => pending.delete(settled))
      pending.add(settled)
    },
    publish: (room, message) => rooms.publish(room, message),
  }
  const handle = createHandle({ table: createRouteTable(endpoints, middleware), services, authenticate })

  return {
    '~routes': undefined as never,
    routes: [
      ...endpoints.map(({ route, kind, description }) => ({ route, kind, description })),
      ...Array.from(sockets, ([route, { description }]) => ({ route, kind: 'socket' as const, description })),
    ],
    log,
    rooms,
    handle,
    fetch: async (request) => toResponse(await handle(requestCall(request)), request.method),
    async admit(call) {
      const { path } = parseTarget(call.target)
      const socket = sockets.get(path)
      if (socket === undefined) throw new ApiError('NOT_FOUND', `there is no socket at ${path}`)
      return { path, socket, auth: (await authenticate?.({ get: (name) => call.header(name) })) ?? null }
    },
    async close() {
      await Promise.all(pending)
      await engine.close()
    },
  }
}

interface Parts {
  readonly table: RouteTable
  readonly services: ContextServices
  readonly authenticate: Authenticate | null
}

function createHandle({ table, services, authenticate }: Parts): (call: Call) => Promise<Reply> {
  return async function handle(call) {
    const requestId = requestIdOf(call)
    const reply = await answer(call, requestId).catch((thrown: unknown) =>
      errorReply(toApiError(thrown, () => withFields(services.log, { requestId, target: call.target }))),
    )
    reply.headers['x-request-id'] = requestId
    reply.headers['x-content-type-options'] ??= 'nosniff'
    reply.headers['cache-control'] ??= 'no-store'
    return reply
  }

  async function answer(call: Call, requestId: string): Promise<Reply> {
    const target = parseTarget(call.target)
    const found = table.match(call.method, target.path)
    const ctx = new CallContext(
      call,
      { route: found.endpoint.route, requestId, params: found.params, query: parseQuery(target.search) },
      services,
    )
    return runChain(ctx, found.middleware, async () => {
      await fillAuth(ctx as never, authenticate)
      return found.endpoint.run(ctx)
    })
  }
}

async function runChain(ctx: CallContext, chain: readonly Middleware[], last: () => Promise<Reply>): Promise<Reply> {
  const [first, ...rest] = chain
  if (first === undefined) return last()
  const result = await first(ctx as never, () => runChain(ctx, rest, last))
  return result instanceof Response ? fromResponse(result) : result
}

function requestIdOf(call: Call): string {
  const given = call.header('x-request-id')
  return given !== null && /^[A-Za-z0-9._~-]{8,128}$/.test(given) ? given : crypto.randomUUID()
}
