import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** An app to connect to, such as the one that `testApp` returns. */
export interface Connectable {
  fetch(request: Request): Promise<Response>
}

/** Options for `connect`. */
export interface ConnectOptions {
  /** The path of the route with `mcp`. @default '/api/mcp' */
  path?: string | undefined
  /** The version of the protocol. Many clients still use 2025-11-25. @default '2026-07-28' */
  version?: '2026-07-28' | '2025-11-25' | undefined
}

/**
 * Connects the official MCP client to an app, without opening a port.
 * @example
 * const client = await connect(app.as({ name: 'Ada' }))
 * await client.callTool({ name: 'createTask', arguments: { title: 'Tea' } })
 */
export async function connect(app: Connectable, options: ConnectOptions = {}): Promise<Client> {
  const { path = '/api/mcp', version = '2026-07-28' } = options
  const mode = version === '2025-11-25' ? 'legacy' : { pin: version }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => app.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL(path, 'http://localhost'), { fetch }))
  return client
}
