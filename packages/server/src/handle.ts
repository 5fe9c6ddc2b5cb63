import { ApiError } from '@sdk/protocol'
import { addressKey, clientAddress } from './address.ts'
import { andThen } from './and-then.ts'
import { authenticate, type RequestAuth, type Session } from './auth-seat.ts'
import type { Call, Reply } from './call.ts'
import { CallContext, type ContextServices } from './context.ts'
import { errorReply, toApiError } from './error-response.ts'
import { withFields } from './log.ts'
import { foreignPage, type OriginRules } from './origin.ts'
import type { Limiter, Taken } from './rate-limit.ts'
import { finishHeaders } from './reply-headers.ts'
import { fromResponse } from './reply.ts'
import type { Middleware } from './router.ts'
import { notFound, type Found, type RouteTable } from './route-table.ts'
import { parseQuery, parseTarget, type Target } from './url.ts'

/** What answering a call needs. */
export interface HandleParts {
  readonly table: RouteTable
  readonly services: ContextServices
  readonly limiter: Limiter
  readonly origins: OriginRules
  readonly session: Session | null
  readonly isTrustedProxy: (address: string) => boolean
  readonly limits: Limits
}

/** The sizes that a request may have. */
export interface Limits {
  /** Bytes of a JSON body. */
  readonly body: number
  /** Characters of a request target. */
  readonly target: number
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Answers calls, checking in the order that the conventions give; the first fault answers. Never throws. */
export function createHandle(parts: HandleParts): (call: Call) => Reply | Promise<Reply> {
  const { table, services, limiter, origins, session, limits } = parts

  return function handle(call) {
    const requestId = requestIdOf(call)
    const fail = (thrown: unknown): Reply =>
      errorReply(toApiError(thrown, () => withFields(services.log, { requestId, target: call.target })))
    const finish = (reply: Reply): Reply => {
      reply.headers['x-request-id'] = requestId
      finishHeaders(reply, call)
      origins.allow(call, reply.headers)
      return reply
    }
    try {
      const reply = route(call, requestId, fail)
      return reply instanceof Promise ? reply.catch(fail).then(finish) : finish(reply)
    } catch (thrown) {
      return finish(fail(thrown))
    }
  }

  function route(call: Call, requestId: string, fail: (thrown: unknown) => Reply): Reply | Promise<Reply> {
    if (call.target.length > limits.target)
      throw new ApiError('URI_TOO_LONG', `the URL has more than ${limits.target} characters`)
    const target = parseTarget(call.target)
    const found = table.find(call.method, target.path)
    if (found === null) return elsewhere(call, target)
    const place = { route: found.endpoint.route, requestId, params: found.params, query: undefined }
    const ctx = new CallContext(call, place, services)
    return andThen(authenticate(call, session), (auth) => {
      ctx.auth = auth
      return limited(ctx, found, () => guarded(ctx, found, target), fail)
    })
  }

  /** No endpoint answers: an OPTIONS request, another method than the path takes, or nothing there. */
  function elsewhere(call: Call, { path }: Target): Reply {
    const allowed = table.allowed(path)
    if (call.method !== 'OPTIONS' || allowed.length === 0) throw notFound(path, call.method, allowed)
    return (
      origins.preflight(call) ?? { status: 204, headers: { allow: [...allowed, 'OPTIONS'].join(', ') }, body: null }
    )
  }

  function limited(
    ctx: CallContext,
    { endpoint }: Found,
    next: () => Reply | Promise<Reply>,
    fail: (thrown: unknown) => Reply,
  ): Reply | Promise<Reply> {
    const set = limiter.policiesOf(endpoint)
    if (set === null) return next()
    const tell = (reply: Reply, { header }: Taken): Reply => {
      reply.headers['ratelimit-policy'] = set.header
      reply.headers['ratelimit'] = header
      return reply
    }
    return andThen(limiter.take(set, countedAs(ctx.source, ctx.auth)), (taken) => {
      if (taken.error !== null) return tell(fail(taken.error), taken)
      try {
        const reply = next()
        return reply instanceof Promise
          ? reply.then(
              (done) => tell(done, taken),
              (thrown: unknown) => tell(fail(thrown), taken),
            )
          : tell(reply, taken)
      } catch (thrown) {
        return tell(fail(thrown), taken)
      }
    })
  }

  function guarded(ctx: CallContext, found: Found, target: Target): Reply | Promise<Reply> {
    if (ctx.auth?.via === 'cookie' && !SAFE.has(ctx.source.method) && !origins.isOwn(ctx.source)) throw foreignPage()
    if (found.middleware.length === 0) return last()
    return runChain(ctx, found.middleware, async () => last())

    function last(): Reply | Promise<Reply> {
      ctx.query = parseQuery(target.search)
      return found.endpoint.run(ctx, limits.body)
    }
  }

  function countedAs(call: Call, auth: RequestAuth | null): { caller: string; address: string } {
    const address = addressKey(clientAddress(call.ip, call.header('x-forwarded-for'), parts.isTrustedProxy))
    return { address, caller: auth === null ? address : `user ${auth.session.userId}` }
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
