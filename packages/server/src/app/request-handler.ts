import { ApiError, isApiError } from '@sdk/protocol'
import { RequestContext } from '../context/context.ts'
import { orThrow, type EndpointResult, type EndpointTools } from '../endpoint/endpoint.ts'
import { enterStream } from '../endpoint/enter-stream.ts'
import { runMiddleware } from '../endpoint/middleware-chain.ts'
import type { RouteMatch } from '../endpoint/route-match.ts'
import { addChallenge, authenticate, hasKnownCredentials } from '../guard/authenticate.ts'
import { extendVary, type CreateDefaultHeaders } from '../guard/default-headers.ts'
import { crossOriginForbidden } from '../guard/origin.ts'
import type { PolicySet, RateLimitKeys } from '../guard/rate-limit.ts'
import type { Guards } from '../guard/socket-admission.ts'
import { errorReply, isOutage, toApiError, type ErrorReply } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { isReplyStream, type Reply } from '../http/reply.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { parseTarget, pathIn, type RequestTarget } from '../http/url.ts'
import { withFields, type Log } from '../log/log.ts'
import type { AccessLog } from '../log/access-log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { createModelTotals } from '../observe/model-step.ts'
import { startRequestSpan, type Tracer } from '../observe/otel.ts'
import { andThen, type MaybePromise } from '../platform/and-then.ts'
import type { ErrorFormatter } from './format-error.ts'
import { replyWithoutRoute, type RouteTable } from './route-table.ts'

/** The dependencies of the request handler. */
export interface RequestHandlerDependencies extends Guards {
  readonly table: RouteTable
  readonly defaultHeaders: CreateDefaultHeaders
  readonly isSocket: (path: string) => boolean
  readonly tracer: Tracer
  /** Receives a record for every completed request. */
  readonly records: Pick<AccessLog, 'accepts' | 'add'>
  readonly limits: Required<RequestLimits>
  readonly tools: EndpointTools
  /** The formatter that replaces the error envelope, or null if the app has no `formatError`. */
  readonly formatError: ErrorFormatter | null
}

/**
 * Creates the request handler for an app. `handle` never throws. `toErrorReply` creates the reply to a request that
 * could not be parsed. `running` returns the ids of the requests that have no reply yet.
 */
export function createRequestHandler(dependencies: RequestHandlerDependencies): {
  handle(request: ServerRequest): MaybePromise<Reply>
  toErrorReply(error: ApiError): ErrorReply
  running(): string[]
} {
  const running = new Set<RequestPipeline>()
  const outages = throttleLog(dependencies.services.log)
  return {
    handle(request) {
      const pipeline = new RequestPipeline(dependencies, request, outages)
      const reply = pipeline.run()
      if (reply instanceof Promise) {
        running.add(pipeline)
        const done = (): unknown => running.delete(pipeline)
        void reply.then(done, done)
      }
      return reply
    },
    toErrorReply(error) {
      const reply = errorReply(error)
      return dependencies.formatError?.(error, reply, null) ?? reply
    },
    running: () => Array.from(running, ({ requestId }) => requestId).toReversed(),
  }
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The pipeline for one request. `#runSteps` defines the order of the steps. The first error becomes the reply. */
class RequestPipeline {
  readonly #dependencies: RequestHandlerDependencies
  readonly #request: ServerRequest
  readonly #outages: Log
  readonly requestId: string
  readonly #started = performance.now()
  #rateLimitLine = ''
  #taken: { set: PolicySet; keys: RateLimitKeys } | undefined
  #isRecorded = true
  #hasCredentials = false
  /** The thrown value, if it is not an `ApiError`. */
  #thrown: unknown
  /** The request context, or undefined if no route matches. */
  #ctx: RequestContext | undefined

  constructor(dependencies: RequestHandlerDependencies, request: ServerRequest, outages: Log) {
    this.#dependencies = dependencies
    this.#request = request
    this.#outages = outages
    this.requestId = requestIdOf(request)
  }

  run(): MaybePromise<Reply> {
    try {
      const result = this.#runSteps()
      if (!(result instanceof Promise)) return this.#finish(result)
      return result.then(
        (settled) => this.#finishOrFail(settled),
        (thrown: unknown) => this.#finish(this.#fail(thrown)),
      )
    } catch (thrown) {
      return this.#finish(this.#fail(thrown))
    }
  }

  /** Runs the steps in order, synchronously if no step returns a promise. */
  #runSteps(): MaybePromise<EndpointResult> {
    const { table, limits, tools } = this.#dependencies
    const request = this.#request
    if (request.target.length > limits.target)
      throw httpError('URI_TOO_LONG', `the URL must have at most ${limits.target} characters`)
    const target = parseTarget(request.target)
    const match = table.find(request.method, target.path)
    if (match === null) return replyWithoutRoute(request, target.path, this.#dependencies)
    const ctx = this.#createContext(match, target)
    if (match.endpoint.kind === 'system') {
      // The undecoded path must match: a proxy that blocks `/metrics` might not block `/%6detrics`.
      if (pathIn(request.target) !== match.endpoint.path)
        throw httpError('NOT_FOUND', `no route matches ${target.path}`)
      this.#isRecorded = false
      return match.endpoint.run(ctx, tools)
    }
    return this.#inSpan(ctx, () =>
      unlessRejected(this.#authenticate(ctx), () =>
        unlessRejected(this.#limitRate(ctx, match), () => {
          this.#assertOrigin(ctx)
          return this.#runEndpoint(ctx, match)
        }),
      ),
    )
  }

  #createContext({ endpoint, params }: RouteMatch, { path, search }: RequestTarget): RequestContext {
    const ctx = (this.#ctx = new RequestContext(this.#request, endpoint.route, this.#dependencies.services))
    ctx.requestId = this.requestId
    ctx.params = params
    ctx.path = path
    ctx.search = search
    this.#request.observer?.onRoute(endpoint.route, this.requestId)
    return ctx
  }

  /** Runs the remaining steps within a span, which ends when the reply has been sent. */
  #inSpan(ctx: RequestContext, rest: () => MaybePromise<EndpointResult>): MaybePromise<EndpointResult> {
    const { tracer } = this.#dependencies
    if (!tracer.isRecording()) return rest()
    const { method, isSecure } = this.#request
    const { route, path, trace } = ctx
    ctx.span = startRequestSpan(tracer, { route, method, target: path, isSecure, trace })
    return ctx.span === null ? rest() : ctx.span.run(rest)
  }

  /** Authenticates the request. If the IP address is blocked, only credentials known to be valid are checked. */
  #authenticate(ctx: RequestContext): MaybePromise<ApiError | null> {
    const { session, limiter, toRateLimitKeys } = this.#dependencies
    const request = this.#request
    const blocked = session === null ? null : limiter.findBlock(toRateLimitKeys(request, null).networkKey)
    if (blocked !== null && !hasKnownCredentials(request, session)) return blocked
    const identified = authenticate(request, session, ctx.path)
    if (identified === undefined) return null
    this.#hasCredentials = true
    return andThen(identified, (auth) => {
      ctx.auth = auth
      request.observer?.onAuthenticated(auth)
      return null
    })
  }

  #limitRate(ctx: RequestContext, { endpoint }: RouteMatch): MaybePromise<ApiError | null> {
    const { limiter, toRateLimitKeys } = this.#dependencies
    const set = limiter.policiesOf(endpoint, ctx.path)
    const keys = toRateLimitKeys(this.#request, ctx.auth)
    ctx.rateLimitKey = keys.rateLimitKey
    ctx.address = keys.address
    if (set === null) return null
    return andThen(limiter.take(set, keys), ({ line, error }) => {
      this.#rateLimitLine = line
      this.#taken = { set, keys }
      if (error !== null && ctx.auth === null && this.#hasCredentials) limiter.block(keys.networkKey, error)
      return error
    })
  }

  #assertOrigin({ auth }: RequestContext): void {
    if (auth?.via !== 'cookie' || SAFE_METHODS.has(this.#request.method)) return
    if (!this.#dependencies.origins.isTrusted(this.#request)) throw crossOriginForbidden()
  }

  #runEndpoint(ctx: RequestContext, { endpoint, middleware }: RouteMatch): MaybePromise<EndpointResult> {
    const { tools, services } = this.#dependencies
    if (services.models !== null) ctx.modelTotals = createModelTotals()
    return ctx.enter(() => {
      if (middleware.length === 0) return endpoint.run(ctx, tools)
      return runMiddleware(ctx, middleware, () => andThen(endpoint.run(ctx, tools), orThrow))
    })
  }

  #finishOrFail(result: EndpointResult): Reply {
    try {
      return this.#finish(result)
    } catch (thrown) {
      return this.#finish(this.#fail(thrown))
    }
  }

  /** Converts a thrown value to a reply, even if its getters throw. */
  #fail(thrown: unknown): Reply {
    const { log } = this.#dependencies.services
    try {
      this.#request.observer?.onError(thrown)
      if (!isApiError(thrown)) this.#thrown = thrown
      return this.#toErrorReply(this.#toApiError(thrown))
    } catch (why) {
      this.#thrown = why
      const reason = why instanceof Error ? why.message : typeof why
      const message = `the thrown value could not be converted to an error: ${reason}`
      return this.#toErrorReply(toApiError(new Error(message, { cause: thrown }), () => this.#named(log)))
    }
  }

  /** Returns the error that the client sees. Logs the thrown value if its status is 500 or more. */
  #toApiError(thrown: unknown): ApiError {
    const log = (): Log => this.#named(isOutage(thrown) ? this.#outages : this.#dependencies.services.log)
    return toApiError(thrown, log, () => this.#request.signal)
  }

  /** Returns a logger that adds the request's id and path to every line. */
  #named(log: Log): Log {
    return withFields(log, { requestId: this.requestId, target: pathIn(this.#request.target) })
  }

  #toErrorReply(error: ApiError): Reply {
    return this.#format(error, errorReply(error, this.#request.header('accept')))
  }

  /** Applies the app's `formatError`, if it has one. */
  #format(error: ApiError | undefined, reply: Reply): Reply {
    const { formatError, services, toRateLimitKeys } = this.#dependencies
    if (formatError === null || error === undefined) return reply
    const ctx = this.#ctx ?? new RequestContext(this.#request, '', services)
    ctx.requestId = this.requestId
    ctx.address ||= toRateLimitKeys(this.#request, null).address
    return formatError(error, reply, ctx)
  }

  /** Adds the default headers, and records the reply after it has been sent. */
  #finish(result: EndpointResult): Reply {
    const reply = result instanceof ApiError ? this.#toErrorReply(result) : this.#format(result.error, result)
    if (!(result instanceof ApiError) && result.failure !== undefined) this.#toApiError(result.failure)
    const { origins, defaultHeaders, limiter, records, session } = this.#dependencies
    const request = this.#request
    const ctx = this.#ctx
    if (ctx !== undefined) addChallenge(reply, request, { session, path: ctx.path })
    if (ctx !== undefined && isReplyStream(reply.body)) reply.body = enterStream(reply.body, ctx)
    if (reply.status === 304 && this.#taken !== undefined) limiter.refund(this.#taken.set, this.#taken.keys)
    if (reply.headers['vary'] !== undefined) extendVary(reply.headers, request.method, origins.isOpen)
    const lines = `x-request-id: ${this.requestId}\r\n${this.#rateLimitLine}${origins.permission(request)}`
    reply.defaultHeaders = defaultHeaders(reply, request, { lines, policyLine: this.#taken?.set.line ?? '' })
    const { status } = reply
    // The function must not refer to the reply: with this cycle, garbage collection took four times as long.
    if (ctx?.span || (this.#isRecorded && records.accepts(status)))
      reply.ended = (bytes, isWhole) => this.#record(status, { bytes, isWhole })
    return reply
  }

  #record(status: number, { bytes, isWhole }: { bytes: number; isWhole: boolean }): void {
    const { records } = this.#dependencies
    const ctx = this.#ctx
    ctx?.span?.end({ status, error: this.#thrown })
    if (!records.accepts(status)) return
    const { method, target } = this.#request
    records.add({
      time: Date.now(),
      requestId: this.requestId,
      method,
      route: ctx?.route ?? null,
      target: pathIn(target),
      status,
      ms: performance.now() - this.#started,
      bytes,
      userId: ctx?.auth?.session.userId ?? null,
      traceId: ctx?.span?.traceId ?? ctx?.trace.knownId() ?? null,
      aborted: !isWhole,
      ...(ctx?.modelTotals?.modelCalls ? ctx.modelTotals : null),
    })
  }
}

/** Runs the next step, unless the previous step rejected the request. */
function unlessRejected(
  rejection: MaybePromise<ApiError | null>,
  next: () => MaybePromise<EndpointResult>,
): MaybePromise<EndpointResult> {
  if (rejection instanceof Promise) return rejection.then((error) => error ?? next())
  return rejection ?? next()
}
