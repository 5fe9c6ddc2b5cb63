import { RequestContext, type Context } from '../context/context.ts'
import type { RouteTool, ToolRoutes } from '../context/tool.ts'

const OFFERED = Symbol('tools')

/** Marks a handler as one that offers routes as tools, so that development tools can list them. */
export function offerTools<H extends object>(handler: H, routes: ToolRoutes): H {
  return Object.assign(handler, { [OFFERED]: routes })
}

/** Returns the routes that a handler offers as tools, or null if it offers none. */
export function offeredTools(handler: object): ToolRoutes | null {
  return (handler as { [OFFERED]?: ToolRoutes })[OFFERED] ?? null
}

/**
 * Resolves routes as tools, as `ctx.tools` does, for packages that offer tools in another protocol. The tools run as the
 * caller of the context.
 */
export function resolveTools(ctx: Context<unknown, unknown>, routes: ToolRoutes): Promise<readonly RouteTool[]> {
  if (ctx instanceof RequestContext) return ctx.resolveTools(routes)
  throw new TypeError('resolveTools must be called with the context that a handler receives')
}
