import type { Middleware } from './define/middleware.ts'
import type { MiddlewareHandler } from 'hono'
import { toResponse } from './app/fetch-adapter.ts'

type HonoFetch = (request: Request, next: () => Promise<Response>) => Response | Promise<Response>

/**
 * Converts a Hono middleware to one for `Router.use`. Hono needs web `Request` and `Response` objects, which the rest
 * of the app avoids, so only the paths that use the middleware incur the cost of the conversion.
 * @example createRouter().use('/api/*', hono(compress()))
 */
export function hono(middleware: MiddlewareHandler): Middleware {
  if (typeof middleware !== 'function')
    throw new TypeError(`hono() expects Hono middleware, as in hono(compress()), got ${typeof middleware}`)
  let loading: Promise<HonoFetch> | undefined
  return async (ctx, next) => {
    const ask = await (loading ??= loadHono(middleware))
    // The middleware gets a clone, so that the next handler can still read the body.
    const request = ctx.request.body === null ? ctx.request : ctx.request.clone()
    return ask(request, async () => toResponse(await next(), ctx.request.method))
  }
}

/** Loads Hono on the first request, so that apps that do not use it do not pay for it. */
async function loadHono(middleware: MiddlewareHandler): Promise<HonoFetch> {
  const { Hono } = await import('hono/tiny')
  const app = new Hono<{ Bindings: { next: () => Promise<Response> } }>()
  app.use('*', middleware)
  app.all('*', ({ env }) => env.next())
  // Hono's HTTP exceptions create their own response; the app handles all other errors.
  app.onError((error) => {
    if ('getResponse' in error) return error.getResponse()
    throw error
  })
  return (request, next) => app.fetch(request, { next })
}
