import type { Middleware } from './define/middleware.ts'
import type { MiddlewareHandler } from 'hono'
import { toResponse } from './app/fetch-adapter.ts'

type HonoFetch = (request: Request, next: () => Promise<Response>) => Response | Promise<Response>

/**
 * Any middleware of Hono, for the paths that need it. It works on web requests and responses, which the rest of the
 * app does without: its cost stays where it is used.
 * @example createRouter().use('/api/*', hono(compress()))
 */
export function hono(middleware: MiddlewareHandler): Middleware {
  if (typeof middleware !== 'function')
    throw new TypeError(`hono() takes a middleware of Hono, such as hono(compress()), got ${typeof middleware}`)
  let loading: Promise<HonoFetch> | undefined
  return async (ctx, next) => {
    const ask = await (loading ??= loadHono(middleware))
    // A copy, so that the handler behind can still read the body.
    const request = ctx.request.body === null ? ctx.request : ctx.request.clone()
    return ask(request, async () => toResponse(await next(), ctx.request.method))
  }
}

/** Hono itself is loaded by the first call, so that apps without it do not pay for it. */
async function loadHono(middleware: MiddlewareHandler): Promise<HonoFetch> {
  const { Hono } = await import('hono/tiny')
  const app = new Hono<{ Bindings: { next: () => Promise<Response> } }>()
  app.use('*', middleware)
  app.all('*', ({ env }) => env.next())
  // Hono's own errors know their answer; what a handler of ours throws is answered by us.
  app.onError((error) => {
    if ('getResponse' in error) return error.getResponse()
    throw error
  })
  return (request, next) => app.fetch(request, { next })
}
