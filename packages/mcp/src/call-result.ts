import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { RouteTool, ToolOutcome } from '@sdk/server'
import { readMcpBlocks, returnsContent } from './mcp-content.ts'

/** The result of a tool call, as the MCP SDK sends it. */
export type CallResult = Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>

/** Converts the outcome of a tool to its MCP result. */
export async function toCallResult(outcome: ToolOutcome, tool: RouteTool): Promise<CallResult> {
  // The envelope is not structured content, since it does not match the output schema.
  if ('error' in outcome) return { isError: true, content: [{ type: 'text', text: toJsonText(outcome.error) }] }
  if (outcome.value instanceof Blob) return { content: [await toBlock(outcome.value, tool.name)] }
  const blocks = returnsContent(tool) ? readMcpBlocks(outcome.value) : null
  if (blocks !== null) return { content: blocks }
  const value = outcome.isStream ? { chunks: outcome.value } : outcome.value
  return { structuredContent: value as object, content: [{ type: 'text', text: outcome.json ?? toJsonText(value) }] }
}

/** Returns a value as JSON. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** Converts a binary result to an image, audio, or for other types an embedded resource. */
async function toBlock(blob: Blob, name: string): Promise<ContentBlock> {
  const data = Buffer.from(await blob.arrayBuffer()).toString('base64')
  const [mimeType = ''] = blob.type.split(';')
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: { uri: `result://${name}`, mimeType, blob: data } }
}

/** Returns the name of the client in the metadata of a message, or null. Older clients send it only once. */
export function toClientName(meta: Readonly<Record<string, unknown>> = {}): string | null {
  const { name } = Object(meta['io.modelcontextprotocol/clientInfo']) as { name?: unknown }
  return typeof name === 'string' ? name : null
}

/** Returns the trace headers in the metadata of a message, so that the call continues the trace of the client. */
export function toTraceHeaders(meta: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const { traceparent, tracestate } = meta
  if (typeof traceparent !== 'string') return {}
  return { traceparent, ...(typeof tracestate === 'string' && { tracestate }) }
}
