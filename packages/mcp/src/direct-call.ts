import { JsonText, type CancellableCall, type Context, type RouteTool, type ToolOutcome } from '@sdk/server'
import { cancelledResponse, openCall } from './cancellation.ts'
import { toCallResult, toClientName, toTraceHeaders, type CallResult } from './call-result.ts'
import type { McpOptions } from './mcp-options.ts'

/** A `tools/call` message without anything that requires the MCP SDK. */
interface DirectCall {
  readonly id: string | number
  readonly name: string
  readonly input: object
  readonly meta: Readonly<Record<string, unknown>>
  readonly isModern: boolean
}

/** The revision without an `initialize` request, whose messages describe the client. */
const MODERN = '2026-07-28'
const LEGACY: ReadonlySet<string | null> = new Set(['2025-11-25', '2025-06-18'])
const META = 'io.modelcontextprotocol/'
const PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

/**
 * Answers a plain `tools/call` message without the MCP SDK, which takes ten times as long and is loaded only for other
 * messages. Returns null for all other messages, including invalid ones and those that request progress.
 */
export async function callDirectly(
  ctx: Context<unknown, unknown>,
  message: unknown,
  { tools, options }: { tools: readonly RouteTool[]; options: McpOptions },
): Promise<JsonText | Response | null> {
  const call = toDirectCall(ctx, message)
  const tool = call && tools.find(({ name }) => name === call.name)
  // The MCP SDK wraps results that are not objects.
  if (!call || !tool || (tool.outputSchema !== null && tool.outputSchema['type'] !== 'object')) return null
  const cancellable = openCall(ctx, call.id)
  const outcome = await runUntilCancelled(tool, call, cancellable).finally(() => cancellable?.end())
  return outcome === null ? cancelledResponse() : toAnswer(call, await toCallResult(outcome, tool), options)
}

/** Runs a tool. Returns null as soon as the call is cancelled, even if the handler ignores its signal. */
function runUntilCancelled(
  tool: RouteTool,
  { input, meta }: DirectCall,
  cancellable: CancellableCall | null,
): Promise<ToolOutcome | null> {
  const caller = { headers: toTraceHeaders(meta), isCounted: true, client: toClientName(meta) }
  if (cancellable === null) return tool.run(input, caller)
  const { signal } = cancellable
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(null), { once: true })
    tool.run(input, { ...caller, signal }).then(resolve, reject)
  })
}

function toDirectCall(ctx: Context<unknown, unknown>, message: unknown): DirectCall | null {
  if (!isObject(message) || message['jsonrpc'] !== '2.0' || message['method'] !== 'tools/call') return null
  const { id, params } = message
  if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params)) return null
  const { name, arguments: input = {}, _meta: meta = {} } = params
  if (typeof name !== 'string' || !isObject(input) || !isObject(meta)) return null
  if (Object.keys(params).some((key) => !PARAMS.has(key)) || 'progressToken' in meta) return null
  const accept = ctx.header('accept') ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null
  const version = ctx.header('mcp-protocol-version')
  const isModern = version === MODERN
  const isValid = isModern
    ? describesClient(meta) && ctx.header('mcp-method') === 'tools/call' && ctx.header('mcp-name') === name
    : LEGACY.has(version) && !Object.keys(meta).some((key) => key.startsWith(META))
  return isValid ? { id, name, input, meta, isModern } : null
}

function describesClient(meta: Readonly<Record<string, unknown>>): boolean {
  const info = meta[`${META}clientInfo`]
  const isKnown = isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string'
  return isKnown && meta[`${META}protocolVersion`] === MODERN && isObject(meta[`${META}clientCapabilities`])
}

/** Returns the answer to a call. The text of a structured result is its JSON, which need not be created again. */
function toAnswer(
  { id, isModern }: DirectCall,
  { structuredContent: value, ...result }: CallResult,
  { name = 'app', version = '1.0.0' }: McpOptions,
): JsonText {
  const modern = { resultType: 'complete', _meta: { [`${META}serverInfo`]: { name, version } } }
  const members = JSON.stringify(isModern ? { ...result, ...modern } : result).slice(1)
  const [block] = result.content
  const text = value === undefined || block?.type !== 'text' ? null : block.text
  const structured = isModern || isObject(value) ? text : `{"result":${text}}`
  const start = text === null ? '{' : `{"structuredContent":${structured},`
  return new JsonText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${start}${members}}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
