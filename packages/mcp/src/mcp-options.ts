/** Options for `mcp`. */
export interface McpOptions {
  /** The name of the server, for clients and their logs. @default 'app' */
  name?: string | undefined
  /** The version of the server. @default '1.0.0' */
  version?: string | undefined
  /** Instructions for models on how to use the tools. @default none */
  instructions?: string | undefined
}
