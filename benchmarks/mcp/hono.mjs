// @hono/mcp, with a server for each request, since it has no sessions.
import { serve } from '@hono/node-server'
import { StreamableHTTPTransport } from '@hono/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Hono } from 'hono'
import { report } from '../harness/report.mjs'
import { addTool, OPTIONS } from './tool.mjs'

const app = new Hono()
app.all('/api/mcp', async (c) => {
  const server = new McpServer(OPTIONS)
  addTool(server)
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(c)
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => report(port))
