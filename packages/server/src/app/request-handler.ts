import type { RequestRecord } from '../log/request-record.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { authenticate } from '../guard/authenticate.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { ApiError, isApiError } from '@sdk/protocol'
import { andThen } from '../platform/and-then.ts'
import { ACCEPT_PATCH } from '../http/body.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import { isReplyStream, type ServerRequest, type Reply } from '../http/server-request.ts'
import { runMiddleware } from '../endpoint/middleware-chain.ts'
import { RequestContext, type ContextServices } from '../context/context.ts'
import { orThrow, type EndpointResult, type Endpoint, type EndpointTools } from '../endpoint/endpoint.ts'
import { errorReply, isOutage, toApiError } from '../http/error-response.ts'
import { withFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { startRequestSpan, type Tracer } from '../observe/otel.ts'
import { crossOriginForbidden, type OriginRules } from '../guard/origin.ts'
import type { RateLimitKeys, RateLimiter, PolicySet } from '../guard/rate-limit.ts'
import { httpError } from '../http/http-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import { noRouteError, type RouteMatch, type RouteTable } from './route-table.ts'
import type { DefaultHeaders } from '../guard/default-headers.ts'
import { parseTarget, type RequestTarget } from '../http/url.ts'

/** What answering calls needs. */
export interface RequestHandlerDependencies {
  readonly table: RouteTable
  readonly services: ContextServices
  readonly limiter: RateLimiter
  readonly origins: OriginRules
  readonly defaultHeaders: DefaultHeaders
  readonly session: SessionProvider | null
  /** Is there a socket at this path? */
  readonly isSocket: (path: string) => boolean
  toRateLimitKeys(call: ServerRequest, auth: RequestAuth | null): RateLimitKeys
  readonly tracer: Tracer
  readonly observer: RecordSink
  readonly limits: Required<RequestLimits>
  readonly tools: EndpointTools
}

/** Hears of requests that were answered. */
export interface RecordSink {
  /** Does it want to know of an answer with this status? */
  accepts(status: number): boolean
  add(record: RequestRecord): void
}

type Soon<T> = T | Promise<T>

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Answers calls. */
export interface RequestHandler {
  /** Never throws. */
  handle(call: ServerRequest): Soon<Reply>
  /** The ids of the requests whose handlers have not answered yet. */
  running(): string[]
}

/** What answers the calls of an app. */
export function createRequestHandler(parts: RequestHandlerDependencies): RequestHandler {
  const running = new Set<RequestPipeline>()
  const outages = throttleLog(parts.services.log)
  return {
    handle(call) {
      const exchange = new RequestPipeline(parts, call, outages)
      const reply = exchange.answer()
      if (reply instanceof Promise) {
        running.add(exchange)
        const done = (): unknown => running.delete(exchange)
        void reply.then(done, done)
      }
      return reply
    },
    running: () => Array.from(running, ({ requestId }) => requestId).toReversed(),
  }
}

/** One call on its way to its answer: checks in the order that the conventions give, and the first fault answers. */
class RequestPipeline {
  readonly #parts: RequestHandlerDependencies
  readonly #call: ServerRequest
  readonly #outages: Log
  readonly requestId: string
  readonly #started = performance.now()
  /** The header lines that tell of the rate limits. */
  #limits = ''
  #taken: { set: PolicySet; counted: RateLimitKeys } | undefined
  #isObserved = true
  /** Did the caller show credentials? */
  #hasShown = false
  /** What a handler threw, where it was no answer. */
  #thrown: unknown
  /** Undefined where no route answers. */
  #ctx: RequestContext | undefined

  constructor(parts: RequestHandlerDependencies, call: ServerRequest, outages: Log) {
    this.#parts = parts
    this.#call = call
    this.#outages = outages
    this.requestId = requestIdOf(call)
  }

  answer(): Soon<Reply> {
    try {
      const answer = this.#route()
      if (!(answer instanceof Promise)) return this.#finish(answer)
      return answer.then(
        (made) => this.#finishOrFail(made),
        (thrown: unknown) => this.#finish(this.#fail(thrown)),
      )
    } catch (thrown) {
      return this.#finish(this.#fail(thrown))
    }
  }

  #finishOrFail(answer: EndpointResult): Reply {
    try {
      return this.#finish(answer)
    } catch (thrown) {
      return this.#finish(this.#fail(thrown))
    }
  }

  /** The answer for what was thrown: whatever it is, even something that throws when it is looked at. */
  #fail(thrown: unknown): Reply {
    const { log } = this.#parts.services
    try {
      this.#call.observer?.onError(thrown)
      if (!isApiError(thrown)) this.#thrown = thrown
      const where = (): Log => this.#named(isOutage(thrown) ? this.#outages : log)
      return this.#refuse(toApiError(thrown, where, () => this.#call.signal))
    } catch (why) {
      this.#thrown = why
      const message = `what was thrown cannot be answered with: ${why instanceof Error ? why.message : typeof why}`
      return this.#refuse(toApiError(new Error(message, { cause: thrown }), () => this.#named(log)))
    }
  }

  /** A log whose lines say which request they are about. */
  #named(log: Log): Log {
    return withFields(log, { requestId: this.requestId, target: pathIn(this.#call.target) })
  }

  #refuse(error: ApiError): Reply {
    return errorReply(error, this.#call.header('accept'))
  }

  #finish(answer: EndpointResult): Reply {
    const reply = answer instanceof ApiError ? this.#refuse(answer) : answer
    const { origins, defaultHeaders: stamp, observer } = this.#parts
    const call = this.#call
    const span = this.#ctx?.span
    if (span && isReplyStream(reply.body)) reply.body = { ...reply.body, chunks: span.runEach(reply.body.chunks) }
    if (reply.status === 304 && this.#taken !== undefined)
      this.#parts.limiter.refund(this.#taken.set, this.#taken.counted)
    if (reply.headers['vary'] !== undefined) varyToo(reply.headers, call, origins.isOpen)
    reply.defaultHeaders = stamp(reply, call, {
      requestId: this.requestId,
      lines: this.#limits + origins.permission(call),
    })
    if (span || (this.#isObserved && observer.accepts(reply.status)))
      reply.ended = (bytes, isWhole) => this.#ended(reply.status, { bytes, isWhole })
    return reply
  }

  #ended(status: number, { bytes, isWhole }: { bytes: number; isWhole: boolean }): void {
    const { observer } = this.#parts
    this.#ctx?.span?.end({ status, error: this.#thrown })
    if (!observer.accepts(status)) return
    const { method, target } = this.#call
    observer.add({
      time: Date.now(),
      requestId: this.requestId,
      method,
      route: this.#ctx?.route ?? null,
      target: pathIn(target),
      status,
      ms: performance.now() - this.#started,
      bytes,
      userId: this.#ctx?.auth?.session.userId ?? null,
      traceId: this.#ctx?.span?.traceId ?? this.#ctx?.trace.knownId() ?? null,
      aborted: !isWhole,
    })
  }

  #route(): Soon<EndpointResult> {
    const { table, services, tracer, limits } = this.#parts
    const call = this.#call
    if (call.target.length > limits.target)
      throw httpError('URI_TOO_LONG', `the URL has more than ${limits.target} characters`)
    const target = parseTarget(call.target)
    const found = table.find(call.method, target.path)
    if (found === null) return this.#elsewhere(target)
    const ctx = (this.#ctx = new RequestContext(call, found.endpoint.route, services))
    ctx.requestId = this.requestId
    ctx.params = found.params
    ctx.path = target.path
    ctx.search = target.search
    call.observer?.onRoute(found.endpoint.route, this.requestId)
    if (found.endpoint.kind === 'own') return this.#runOwn(ctx, found.endpoint)
    if (tracer.isRecording()) return this.#record(ctx, found)
    return this.#authenticate(ctx, found)
  }

  #runOwn(ctx: RequestContext, endpoint: Endpoint): Soon<EndpointResult> {
    this.#isObserved = false
    return endpoint.run(ctx, this.#parts.tools)
  }

  /** Goes on as part of a span, which ends with the answer. */
  #record(ctx: RequestContext, found: RouteMatch): Soon<EndpointResult> {
    const { method, isSecure } = this.#call
    const { route, path, trace } = ctx
    ctx.span = startRequestSpan(this.#parts.tracer, { route, method, target: path, isSecure, trace })
    const rest = (): Soon<EndpointResult> => this.#authenticate(ctx, found)
    return ctx.span === null ? rest() : ctx.span.run(rest)
  }

  #authenticate(ctx: RequestContext, found: RouteMatch): Soon<EndpointResult> {
    const { session, limiter, toRateLimitKeys: countedAs } = this.#parts
    if (session !== null) {
      const refusal = limiter.findBlock(countedAs(this.#call, null).networkKey)
      if (refusal !== null) return refusal
    }
    const asked = authenticate(this.#call, session)
    if (asked === undefined) return this.#limit(ctx, found)
    this.#hasShown = true
    return andThen(asked, (auth) => {
      ctx.auth = auth
      this.#call.observer?.onAuthenticated(auth)
      return this.#limit(ctx, found)
    })
  }

  /** No endpoint answers: an OPTIONS request, another method than the path takes, or nothing there. */
  #elsewhere({ path }: RequestTarget): EndpointResult {
    const { table, isSocket } = this.#parts
    const allowed = table.allowed(path)
    const { method } = this.#call
    if (isSocket(path)) return upgradeRequired(path)
    if (method !== 'OPTIONS' || allowed.length === 0) return noRouteError(path, method, allowed)
    const patch = allowed.includes('PATCH') && { 'accept-patch': ACCEPT_PATCH }
    const options = { status: 204, headers: { allow: [...allowed, 'OPTIONS'].join(', '), ...patch }, body: null }
    return this.#parts.origins.preflight(this.#call) ?? options
  }

  #limit(ctx: RequestContext, found: RouteMatch): Soon<EndpointResult> {
    const { limiter } = this.#parts
    const set = limiter.policiesOf(found.endpoint, ctx.path)
    const counted = this.#parts.toRateLimitKeys(this.#call, ctx.auth)
    ctx.rateLimitKey = counted.rateLimitKey
    ctx.address = counted.address
    if (set === null) return this.#guard(ctx, found)
    return andThen(limiter.take(set, counted), (taken) => {
      this.#limits = taken.lines
      this.#taken = { set, counted }
      if (taken.error !== null && ctx.auth === null && this.#hasShown) limiter.block(counted.networkKey, taken.error)
      if (taken.error !== null) return taken.error
      return this.#guard(ctx, found)
    })
  }

  #guard(ctx: RequestContext, { endpoint, middleware }: RouteMatch): Soon<EndpointResult> {
    const call = this.#call
    if (ctx.auth?.via === 'cookie' && !SAFE.has(call.method) && !this.#parts.origins.isTrusted(call))
      throw crossOriginForbidden()
    const { tools } = this.#parts
    return middleware.length === 0
      ? endpoint.run(ctx, tools)
      : runMiddleware(ctx, middleware, () => andThen(endpoint.run(ctx, tools), orThrow))
  }
}

/** Without the query, where links from mails carry tokens. */
function pathIn(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}

function upgradeRequired(path: string): ApiError {
  const headers = { upgrade: 'websocket', connection: 'upgrade, close' }
  return httpError('UPGRADE_REQUIRED', `${path} is a WebSocket: connect to it by ws:// or wss://`, { headers })
}

/** An answer that says what it varies with varies with what all answers do, too. */
function varyToo(headers: Reply['headers'], { method }: ServerRequest, isOpen: boolean): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const own = String(headers['vary'])
  headers['vary'] = [own, ...(isRead ? ['Accept, Authorization, Cookie'] : []), ...(isOpen ? ['Origin'] : [])].join(
    ', ',
  )
}
