import { RequestContext, type Context } from '../context/context.ts'
import type { RouteTool, ToolRoutes } from '../context/tool.ts'

/**
 * Resolves routes as tools, as `ctx.tools` does, for packages that offer tools in another protocol. The tools run as the
 * caller of the context.
 */
export function resolveTools(ctx: Context<unknown, unknown>, routes: ToolRoutes): Promise<readonly RouteTool[]> {
  if (ctx instanceof RequestContext) return ctx.resolveTools(routes)
  throw new TypeError('resolveTools must be called with the context that a handler receives')
}
