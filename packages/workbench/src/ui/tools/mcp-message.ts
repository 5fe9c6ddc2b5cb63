import { isEnvelope, toPointer } from '@sdk/protocol'
import { parseJson } from '../components/parse-json.ts'
import { EMPTY_INPUT, type CallInput, type FieldIssue } from '../input/call-input.ts'

/** A tool in a list of tools, as an MCP route describes it. */
export interface McpTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** The headers of each message. With this revision, a message does not have to describe the client. */
export const MCP_HEADERS: CallInput['headers'] = [
  ['accept', 'application/json, text/event-stream'],
  ['mcp-protocol-version', '2025-11-25'],
]

/** Returns the request that calls a tool with an input, whose JSON text is sent as it is. */
export function toToolInput(name: string, { body: args, headers }: CallInput): CallInput {
  const params = `{"name":${JSON.stringify(name)},"arguments":${args.trim() || '{}'}}`
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  return { ...EMPTY_INPUT, body, headers: [...MCP_HEADERS, ...headers] }
}

/** Returns the tools in a response to `tools/list`. */
export function toolsIn(answer: unknown): readonly McpTool[] {
  const { result } = Object(answer) as { result?: { tools?: unknown } }
  return Array.isArray(result?.tools) ? (result.tools as McpTool[]) : []
}

/** Returns the problems with the input that the result of a tool contains. */
export function issuesIn(answer: unknown): FieldIssue[] {
  const { result } = Object(answer) as { result?: { isError?: boolean; content?: readonly { text?: string }[] } }
  const envelope = result?.isError === true ? parseJson(result.content?.[0]?.text ?? '') : null
  if (!isEnvelope(envelope)) return []
  return (envelope.error.details ?? []).map(({ pointer, name, message }) => ({
    pointer: pointer ?? (name === undefined ? '' : toPointer([name])),
    message,
  }))
}
