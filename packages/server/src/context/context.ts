import type { Span } from '../observe/otel.ts'
import type { Cancellations } from './cancellations.ts'
import { toRouteCall, type RouteCall } from './route-call.ts'
import { toTool, type RouteTool, type ToolRoutes } from './tool.ts'
import type { ContextCalls } from './context-calls.ts'
import type { ResourceRef, ResourceTypes, Rows } from './rows.ts'
import type { AgentRef, StartableIO, StartedRun, StartOptions } from './start.ts'
import type { ContextTransaction, ContextTransactionOptions } from './transaction.ts'
import type { RequestAuth } from '../auth/identity.ts'
import type { ReplyStream } from '../http/reply-stream.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Kv } from '../engine/kv.ts'
import { withFields, type Log } from '../log/log.ts'
import type { Presence } from '../engine/list-presence.ts'
import type { ModelCalls } from '../observe/model-calls.ts'
import type { ModelTotals } from '../observe/model-step.ts'
import { observeLog, type RunObserver } from '../observe/request-observer.ts'
import { continueTrace, type Trace } from '../observe/trace.ts'

/** The request context that a handler receives. */
export interface Context<Params = Record<string, string>, Query = Record<string, string>> extends ContextCalls {
  /** The caller's authentication, or null if the caller is not signed in. */
  auth: RequestAuth | null
  /** A logger that adds the request's id and route to each line. */
  readonly log: Log
  /** A signal that aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** The request as a web `Request`. */
  readonly request: Request
  /** The path parameters. */
  readonly params: Params
  /** The query parameters, as returned by the route's schema. */
  readonly query: Query
  /** The route, such as `GET /api/reports/:id`. */
  readonly route: string
  /** The `X-Request-Id` of the response. */
  readonly requestId: string
  /** The client's IP address. Behind a trusted proxy, this is the forwarded address. */
  readonly address: string
  /** The trace context: pass `trace.traceparent` to the services you call. */
  readonly trace: Trace
  /** Returns a request header, or null if it is missing. */
  header(name: string): string | null
  /**
   * Starts a run of a durable agent in the background, as the caller. In a durable agent, the start is stored as a step
   * is, so that it happens once.
   * @example const { id } = await ctx.start(report, { month }, { at: tomorrow, key: `report ${month}` })
   */
  start<IO extends StartableIO>(agent: AgentRef<IO>, input: IO['input'], options?: StartOptions): Promise<StartedRun>
  /**
   * Gives access to a resource's rows, with the caller's permissions. The access rule, the schema, `assign`, `check`
   * and `on` apply as they do in the resource's routes. If one of them denies a call, the call rejects.
   * @example await ctx.rows(tasks).create({ title: 'Tea' })
   */
  rows<Types extends ResourceTypes>(resource: ResourceRef<Types>): Rows<Types>
  /**
   * Runs `work` in a transaction: either all of its changes are stored, or none. Access rules and `check` run inside
   * the transaction, and `on` hooks run after the commit. A deadlock rolls the transaction back and runs `work`
   * again, up to 5 times. A transaction inside another transaction is a savepoint.
   * @example await ctx.transaction(async (tx) => {
   *   const team = await tx.rows(teams).create({ name: 'Tea' })
   *   await tx.rows(members).create({ teamId: team.id, role: 'owner' })
   * })
   */
  transaction<T>(work: (tx: ContextTransaction) => Promise<T>, options?: ContextTransactionOptions): Promise<T>
  /** Lets `work` continue after the response has been sent. If it rejects, the error is logged. */
  waitUntil(work: Promise<unknown>): void
  /**
   * Sends a message to all clients in a room. The message is not validated, since a room does not belong to a single
   * socket.
   */
  publish(room: string, message: unknown): Promise<void>
  /** Permanently disconnects all clients in a room: their sockets close with `FORBIDDEN` and this reason. */
  disconnect(room: string, reason?: string): Promise<void>
  /** Returns the clients in a room, across all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /** A small key-value store shared by all processes. */
  readonly kv: Kv
  /**
   * Declares that the result depends on data with these tags. Clients with `live: true` receive the new result of a
   * `GET` route after `touch` with one of the tags, in any process.
   * @example ctx.reads('stats')
   */
  reads(...tags: string[]): void
  /**
   * Announces a committed change of the data with these tags. In `ctx.transaction`, it takes effect after the commit.
   * @example await ctx.touch('stats')
   */
  touch(...tags: string[]): Promise<void>
}

/** A call of `ctx.start` or `app.start`. */
export interface RunStartCall {
  readonly agent: AgentRef
  readonly input: unknown
  readonly options?: StartOptions | undefined
  /** The context of the caller, or null for the app itself, whose runs are not limited. */
  readonly caller: RequestContext | null
}

/** The services that the app provides to its contexts. */
export interface ContextServices {
  readonly log: Log
  run(agent: AgentRef, input: unknown, caller: RequestContext): Promise<unknown>
  /** Calls a route. */
  call(call: RouteCall, caller: RequestContext): Promise<unknown>
  /** Resolves routes as tools. */
  tools(routes: ToolRoutes, caller: RequestContext): Promise<readonly RouteTool[]>
  /** Starts a run in the background. The caller is null if the app itself starts it. */
  start(start: RunStartCall): Promise<StartedRun>
  rows(resource: ResourceRef, caller: RequestContext): Rows
  transaction<T>(
    work: (tx: ContextTransaction) => Promise<T>,
    options: ContextTransactionOptions,
    caller: RequestContext,
  ): Promise<T>
  waitUntil(work: Promise<unknown>, caller: RequestContext): void
  readonly sockets: Pick<Context, 'publish' | 'disconnect' | 'presence'>
  readonly kv: Kv
  /** Announces a change of the data with these tags, to all processes. */
  touch(...tags: string[]): Promise<void>
  readonly cancellations: Cancellations
  /** The observation of model calls, or null if it is disabled. */
  readonly models: ModelCalls | null
}

/** The context of a request. Its getters create values on first use, so that unused values are not created. */
export class RequestContext implements Context<unknown, unknown> {
  auth: RequestAuth | null = null
  params: unknown = {}
  query: unknown = {}
  requestId = ''
  address = ''
  /** The rate limit key: a user or an IP address. */
  rateLimitKey = ''
  /** The path, with each segment decoded. */
  path = ''
  /** The raw query string; it is parsed after the middleware has run. */
  search = ''
  readonly incoming: ServerRequest
  readonly route: string
  /** The span of this request or nested run, or null if it is not traced. */
  span: Span | null = null
  /** The observer of this run. */
  observer: RunObserver | undefined
  /** The tags that `reads` was called with. Null if they are not needed, because the request is not live. */
  tags: Set<string> | null = null
  /** The model calls of the request, or null if they are not logged. */
  modelTotals: ModelTotals | null = null
  /** The number of runs that this run is nested in. */
  depth = 0
  readonly #services: ContextServices
  #log: Log | undefined
  #trace: Trace | undefined

  constructor(source: ServerRequest, route: string, services: ContextServices) {
    this.incoming = source
    this.observer = source.observer
    this.route = route
    this.#services = services
  }

  get log(): Log {
    return (this.#log ??= this.#createLog())
  }

  #createLog(): Log {
    const traceId = this.span?.traceId ?? this.trace.knownId()
    const fields = { requestId: this.requestId, route: this.route, ...(traceId === null ? {} : { traceId }) }
    const log = withFields(this.#services.log, fields)
    return this.observer === undefined ? log : observeLog(log, this.observer)
  }

  get trace(): Trace {
    return (this.#trace ??= continueTrace(this.incoming.header('traceparent'), this.incoming.header('tracestate')))
  }

  get signal(): AbortSignal {
    return this.incoming.signal
  }

  get kv(): Kv {
    return this.#services.kv
  }

  get cancellations(): Cancellations {
    return this.#services.cancellations
  }

  get request(): Request {
    return this.incoming.request
  }

  /** Throws, since only runs have steps. Plain JavaScript and casts get an explanation instead of `undefined`. */
  get step(): unknown {
    return this.#throwNotDurable('step')
  }

  get sleep(): unknown {
    return this.#throwNotDurable('sleep')
  }

  get wait(): unknown {
    return this.#throwNotDurable('wait')
  }

  get thread(): unknown {
    return this.#throwNotDurable('thread')
  }

  #throwNotDurable(name: string): never {
    throw new TypeError(
      `ctx.${name} cannot be used in ${this.route}: move the code to an agent that is created with durable: true`,
    )
  }

  header(name: string): string | null {
    return this.incoming.header(name.toLowerCase())
  }

  call(callee: AgentRef | string, ...rest: readonly unknown[]): Promise<never> {
    const result =
      typeof callee === 'string'
        ? this.#services.call(toRouteCall(callee, rest), this)
        : this.#services.run(callee, rest[0], this)
    return result as Promise<never>
  }

  async tools(routes: ToolRoutes): Promise<never> {
    const tools = await this.resolveTools(routes)
    return Object.fromEntries(tools.map((tool) => [tool.name, toTool(tool)])) as never
  }

  resolveTools(routes: ToolRoutes): Promise<readonly RouteTool[]> {
    return this.#services.tools(routes, this)
  }

  start<IO extends StartableIO>(agent: AgentRef<IO>, input: IO['input'], options?: StartOptions): Promise<StartedRun> {
    return this.#services.start({ agent, input, options, caller: this })
  }

  rows<Types extends ResourceTypes>(resource: ResourceRef<Types>): Rows<Types> {
    return this.#services.rows(resource, this) as Rows<Types>
  }

  transaction<T>(work: (tx: ContextTransaction) => Promise<T>, options: ContextTransactionOptions = {}): Promise<T> {
    return this.#services.transaction(work, options, this)
  }

  waitUntil(work: Promise<unknown>): void {
    this.#services.waitUntil(work, this)
  }

  publish(room: string, message: unknown): Promise<void> {
    return this.#services.sockets.publish(room, message)
  }

  disconnect(room: string, reason?: string): Promise<void> {
    return this.#services.sockets.disconnect(room, reason)
  }

  presence<Data>(room: string): Promise<Presence<Data>[]> {
    return this.#services.sockets.presence(room)
  }

  reads(...tags: string[]): void {
    for (const tag of tags) this.tags?.add(tag)
  }

  touch(...tags: string[]): Promise<void> {
    return this.#services.touch(...tags)
  }

  /** Runs `work` as part of this run, so that its model calls are observed. */
  enter<T>(work: () => T): T {
    const { models } = this.#services
    return models === null ? work() : models.run(this, work)
  }

  /** Wraps chunks so that their source runs as part of this run and within its span. */
  enterEach(chunks: ReplyStream['chunks']): ReplyStream['chunks'] {
    const entered = this.#services.models?.runEach(this, chunks) ?? chunks
    return this.span === null ? entered : this.span.runEach(entered)
  }

  /** Creates the context for a nested run, with the same caller and a different route. */
  nested(route: string, source: ServerRequest = this.incoming): RequestContext {
    const inner = new RequestContext(source, route, this.#services)
    inner.requestId = this.requestId
    inner.rateLimitKey = this.rateLimitKey
    inner.address = this.address
    // A nested request with a `traceparent` of its own continues another trace.
    if (source.header('traceparent') === this.incoming.header('traceparent')) inner.#trace = this.trace
    inner.auth = this.auth
    inner.tags = this.tags
    inner.modelTotals = this.modelTotals
    inner.depth = this.depth + 1
    return inner
  }
}
