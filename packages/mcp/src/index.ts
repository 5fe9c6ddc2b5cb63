export { mcp } from './mcp.ts'
export type { McpOptions } from './mcp-options.ts'
