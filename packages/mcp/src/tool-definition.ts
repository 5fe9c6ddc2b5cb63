import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import type { RouteTool } from '@sdk/server'
import { returnsContent } from './mcp-content.ts'

/** The hints that the method of a route guarantees. Without a hint, clients assume that a tool changes data. */
const HINTS: Readonly<Record<string, ToolAnnotations>> = {
  GET: { readOnlyHint: true },
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
}

/** Describes a tool for clients. */
export function toToolDefinition({ name, method, description, ...tool }: RouteTool): Tool {
  const annotations = HINTS[method]
  const outputSchema = toOutputSchema(tool)
  return {
    name,
    description,
    inputSchema: tool.inputSchema as Tool['inputSchema'],
    ...(outputSchema !== null && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
}

/** Returns the schema of the structured result, if any. The chunks of a stream are the member `chunks`. */
function toOutputSchema({
  outputSchema,
  isStream,
}: Pick<RouteTool, 'outputSchema' | 'isStream'>): NonNullable<Tool['outputSchema']> | null {
  if (outputSchema === null || returnsContent({ outputSchema, isStream })) return null
  if (!isStream) return outputSchema
  const { $defs, ...items } = outputSchema
  return {
    type: 'object',
    properties: { chunks: { type: 'array', items } },
    required: ['chunks'],
    ...($defs !== undefined && { $defs }),
  }
}
