import type { Server } from '@modelcontextprotocol/server'
import { offerTools, resolveTools, type Context, type Handler, type ToolRoutes } from '@sdk/server'
import { addSessionId, cancelCall } from './cancellation.ts'
import { callDirectly } from './direct-call.ts'
import type { McpOptions } from './mcp-options.ts'
import { createToolServer, type McpSdk } from './tool-server.ts'

/**
 * Creates a route handler that offers routes to models as tools, with the Model Context Protocol. Only the listed routes
 * are offered. Each call runs as the caller of the request, with the middleware, the access rules, the schemas and the
 * rate limit of the called route. Pass an object to name the tools yourself.
 * @example createRouter().on('POST /api/mcp', mcp(['POST /agent/summarize', 'GET /api/v1/tasks']))
 * @example createRouter().on('POST /api/mcp', mcp({ deleteTask: 'DELETE /api/v1/tasks/:id' }))
 */
export function mcp(routes: ToolRoutes, options: McpOptions = {}): Handler<unknown, Promise<Response | object>> {
  if (typeof routes !== 'object' || routes === null)
    throw new TypeError(`mcp expects a list of routes, as in mcp(['GET /api/v1/tasks']), got ${typeof routes}`)
  return offerTools(async (ctx: Context, message: unknown) => {
    if (Array.isArray(message)) return rejectBatch()
    cancelCall(ctx, message)
    const tools = await resolveTools(ctx, routes)
    const answer = await callDirectly(ctx, message, { tools, options })
    if (answer !== null) return answer
    const sdk = await loadSdk()
    // One server per request, since both versions of the protocol are served without stored sessions.
    const createServer = (): Server => createToolServer(sdk, { ctx, tools, options })
    const { fetch } = sdk.createMcpHandler(createServer, { onerror: toErrorLog(ctx) })
    return addSessionId(await fetch(ctx.request, { parsedBody: message }), message)
  }, routes)
}

/** Rejects several messages in one request: current revisions have no batches, and each would run hundreds of tools. */
function rejectBatch(): Response {
  const error = { code: -32_600, message: 'a request must contain one message, got an array: send them one by one' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** Loads the MCP SDK when a message needs it, because this takes about 0.5 s and 25 MB. */
async function loadSdk(): Promise<McpSdk> {
  try {
    return await import('@modelcontextprotocol/server')
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    const message = 'mcp requires the package @modelcontextprotocol/server: npm install @modelcontextprotocol/server'
    throw isMissing ? new Error(message, { cause }) : cause
  }
}

/** Most of these errors are invalid messages, which clients could otherwise use to trigger alerts. */
function toErrorLog({ log }: Context): (error: Error) => void {
  return (error) => log.debug('MCP message rejected', { error })
}
