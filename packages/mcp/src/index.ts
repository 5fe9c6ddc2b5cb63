export { mcp } from './mcp.ts'
export { mcpContent, type McpBlock, type McpBlocks } from './mcp-content.ts'
export type { McpOptions } from './mcp-options.ts'
