/** A way to connect a client to an MCP route. */
export interface ConnectLine {
  readonly title: string
  readonly code: string
}

/** Returns the commands and settings that connect clients to the MCP route at a URL. */
export function connectLines(project: string, url: string): ConnectLine[] {
  const name =
    project
      .toLowerCase()
      .match(/[a-z0-9_]+/g)
      ?.join('-') ?? 'app'
  const toJson = (servers: string, server: object): string => JSON.stringify({ [servers]: { [name]: server } }, null, 2)
  return [
    { title: 'Claude Code', code: `claude mcp add --transport http ${name} ${url}` },
    { title: 'VS Code: .vscode/mcp.json', code: toJson('servers', { type: 'http', url }) },
    { title: 'Cursor: .cursor/mcp.json', code: toJson('mcpServers', { url }) },
  ]
}
