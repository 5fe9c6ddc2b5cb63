import type { HasTypes } from '@sdk/protocol'
import type { Span } from '../observe/otel.ts'
import type { ResourceTypes, Rows } from './rows.ts'
import type { RequestAuth } from '../auth/identity.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Kv } from '../engine/kv.ts'
import { withFields, type Log } from '../log/log.ts'
import type { Presence } from '../engine/list-presence.ts'
import { observeLog, type RunObserver } from '../observe/request-observer.ts'
import { continueTrace, type Trace } from '../observe/trace.ts'

/** What a handler knows of its call, and what it can do beside answering. */
export interface Context<Params = Record<string, string>, Query = Record<string, string>> {
  /** Who is calling; null when nobody is signed in. */
  auth: RequestAuth | null
  /** Writes lines that carry the request's id and route. */
  readonly log: Log
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** The request in the words of the web platform. */
  readonly request: Request
  /** What the path's parameters stand for. */
  readonly params: Params
  /** The parameters of the query, as the route's schema made them. */
  readonly query: Query
  /** The route's one name, such as `GET /api/reports/:id`. */
  readonly route: string
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string
  /** The caller's address, as the app's trusted proxies tell it. */
  readonly address: string
  /** Where the call stands in a trace: pass `trace.traceparent` on to what you call. */
  readonly trace: Trace
  /** A request header by its name; null where it is absent. */
  header(name: string): string | null
  /** Runs another agent in this process, with a context and checks of its own. A streaming agent gives its chunks. */
  call<IO extends CallableIO>(agent: AgentRef<IO>, input: IO['input']): Promise<CallResult<IO>>
  /**
   * The rows of a resource, as the caller may see and change them: by its access rule, its schema, `assign`, `check` and
   * `on`, as over its routes. What those refuse rejects.
   * @example await ctx.rows(tasks).create({ title: 'Tea' })
   */
  rows<Types extends ResourceTypes>(resource: ResourceRef<Types>): Rows<Types>
  /** Lets work go on after the answer; its failure is logged. */
  waitUntil(work: Promise<unknown>): void
  /** Sends a message to everyone in a room. A room is of no socket, so that nothing is checked against a socket's `send`. */
  publish(room: string, message: unknown): Promise<void>
  /** Sends everyone in a room away for good: their sockets end as `FORBIDDEN`, with this message. */
  disconnect(room: string, reason?: string): Promise<void>
  /** Who is in a room, in all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /** A small store that all processes share. */
  readonly kv: Kv
}

/** An agent as `ctx.call` takes it: its name and its types. Every `Agent` is one. */
export interface AgentRef<IO = unknown> extends HasTypes<IO> {
  readonly kind: 'agent'
  readonly name: string
}

/** A resource as `ctx.rows` takes it: its name and its types. Every `Resource` is one. */
export interface ResourceRef<Types extends ResourceTypes = ResourceTypes> {
  readonly kind: 'resource'
  readonly name: string
  readonly '~types': Types
}

/** What a nested call needs to know of an agent's types. */
export interface CallableIO {
  input: unknown
  /** What its handler gives, which over the wire is its `output`: there a date is its text. */
  value: unknown
  stream: boolean
}

/** What a nested call resolves with: the answer, or the chunks of an agent that streams. */
export type CallResult<IO extends CallableIO> = IO['stream'] extends true ? AsyncIterable<IO['value']> : IO['value']

/** What the app does for its contexts. */
export interface ContextServices {
  readonly log: Log
  run(agent: AgentRef, input: unknown, caller: RequestContext): Promise<unknown>
  rows(resource: ResourceRef, caller: RequestContext): Rows
  waitUntil(work: Promise<unknown>, caller: RequestContext): void
  readonly sockets: Pick<Context, 'publish' | 'disconnect' | 'presence'>
  readonly kv: Kv
}

/** The context of one call. A class, so that what a handler does not ask for is not made. */
export class RequestContext implements Context<unknown, unknown> {
  auth: RequestAuth | null = null
  params: unknown = {}
  query: unknown = {}
  requestId = ''
  address = ''
  /** Whom the call counts for: a user, or an address. */
  rateLimitKey = ''
  /** Decoded segment by segment. */
  path = ''
  /** The query as it was sent; it is read when middleware has let the call pass. */
  search = ''
  readonly incoming: ServerRequest
  readonly route: string
  /** Of this run, where somebody records spans. */
  span: Span | null = null
  /** Who watches this run. */
  observer: RunObserver | undefined
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

  get request(): Request {
    return this.incoming.request
  }

  header(name: string): string | null {
    return this.incoming.header(name.toLowerCase())
  }

  call<IO extends CallableIO>(agent: AgentRef<IO>, input: IO['input']): Promise<CallResult<IO>> {
    return this.#services.run(agent, input, this) as Promise<CallResult<IO>>
  }

  rows<Types extends ResourceTypes>(resource: ResourceRef<Types>): Rows<Types> {
    return this.#services.rows(resource, this) as Rows<Types>
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

  /** The context of a nested run: the same caller, another route. */
  nested(route: string, source: ServerRequest = this.incoming): RequestContext {
    const inner = new RequestContext(source, route, this.#services)
    inner.requestId = this.requestId
    inner.rateLimitKey = this.rateLimitKey
    inner.address = this.address
    inner.#trace = this.trace
    inner.auth = this.auth
    return inner
  }
}
