import type * as mcpSdk from '@modelcontextprotocol/server'
import type { Server, ServerContext } from '@modelcontextprotocol/server'
import type { Context, RouteTool, ToolRunOptions } from '@sdk/server'
import { openCall } from './cancellation.ts'
import { toCallResult, toClientName, toJsonText, toTraceHeaders } from './call-result.ts'
import type { McpOptions } from './mcp-options.ts'
import { toToolDefinition } from './tool-definition.ts'

/** The package `@modelcontextprotocol/server`. */
export type McpSdk = typeof mcpSdk

/** A request, and the tools that it can call. */
export interface ToolServerOptions {
  readonly ctx: Context<unknown, unknown>
  readonly tools: readonly RouteTool[]
  readonly options: McpOptions
}

/** Creates an MCP server for one request. */
export function createToolServer(sdk: McpSdk, { ctx, tools, options }: ToolServerOptions): Server {
  const { name = 'app', version = '1.0.0', instructions } = options
  // The low-level class accepts JSON Schemas, and leaves the validation to the routes.
  const server = new sdk.Server(
    { name, version },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  )
  const definitions = tools.map(toToolDefinition)
  server.setRequestHandler('tools/list', () => ({ tools: definitions }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const at = tools.findIndex((tool) => tool.name === params.name)
    const tool = tools[at]
    if (tool === undefined)
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `no tool is called ${params.name}`)
    const call = openCall(ctx, mcpReq.id)
    // Ends the response without a result.
    call?.signal.addEventListener('abort', () => void server.close(), { once: true })
    const runOptions = { ...toRunOptions(mcpReq), ...(call !== null && { signal: call.signal }) }
    const outcome = await tool.run(params.arguments ?? {}, runOptions).finally(() => call?.end())
    return server.projectCallToolResult(await toCallResult(outcome, tool), definitions[at]?.outputSchema)
  })
  return server
}

function toRunOptions({ signal, notify, _meta: meta }: ServerContext['mcpReq']): ToolRunOptions {
  const token = meta?.progressToken
  let progress = 0
  const onChunk = (chunk: unknown): Promise<void> | undefined =>
    token === undefined
      ? undefined
      : notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress: ++progress, message: toJsonText(chunk) },
        })
  return { signal, onChunk, headers: toTraceHeaders(meta), isCounted: true, client: toClientName(meta) }
}
