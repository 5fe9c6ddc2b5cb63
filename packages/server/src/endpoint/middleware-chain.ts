import type { MaybePromise } from '../platform/and-then.ts'
import type { Middleware } from '../define/middleware.ts'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { RequestContext } from '../context/context.ts'
import { type Reply, fromResponse, isResponse } from '../http/reply.ts'
import { toApiError } from '../http/error-response.ts'

/** A middleware and the path pattern that it applies to. */
export interface MiddlewareEntry {
  readonly path: string
  readonly middleware: Middleware
}

/** Returns the middleware for a path that has no parameters. */
export function findMiddleware(path: string, inFront: readonly MiddlewareEntry[]): readonly Middleware[] {
  if (inFront.length === 0) return []
  const router = new SmartRouter<Middleware>({ routers: [new RegExpRouter(), new TrieRouter()] })
  for (const entry of inFront) router.add('ALL', entry.path, entry.middleware)
  return router.match('GET', path)[0].map(([middleware]) => middleware)
}

/** Runs a chain of nested middleware around `last`. */
export function runMiddleware(
  ctx: RequestContext,
  chain: readonly Middleware[],
  last: () => MaybePromise<Reply>,
): MaybePromise<Reply> {
  const run = (at: number): MaybePromise<Reply> => {
    const middleware = chain[at]
    if (middleware === undefined) return last()
    let state: NextState = 'ready'
    const next = async (): Promise<Reply> => {
      if (state !== 'ready') throw repeatedNext(middleware.name || `number ${at + 1}`, ctx.route, state)
      state = 'called'
      return run(at + 1)
    }
    const end = (): void => {
      if (state === 'ready') state = 'answered'
    }
    return Promise.resolve(middleware(ctx as never, next))
      .finally(end)
      .then(toReply)
  }
  const toReply = (result: unknown): Reply => {
    if (!isReplyOrResponse(result))
      throw new TypeError(
        `middleware must return next() or a Response, got ${result === null ? 'null' : typeof result}`,
      )
    return isResponse(result) ? fromResponse(result, (thrown) => toApiError(thrown, () => ctx.log)) : result
  }
  return run(0)
}

/** The state that determines whether a middleware may call `next()`. A second call would run the handler again. */
type NextState = 'ready' | 'called' | 'answered'

function repeatedNext(name: string, route: string, state: NextState): TypeError {
  const when = state === 'called' ? 'a second time' : 'after it had returned'
  return new TypeError(`middleware ${name} of ${route} called next() ${when}: call it once and reuse its result`)
}

function isReplyOrResponse(result: unknown): result is Reply | Response {
  if (typeof result !== 'object' || result === null || !('status' in result) || !('headers' in result)) return false
  return typeof result.status === 'number' && typeof result.headers === 'object' && 'body' in result
}
