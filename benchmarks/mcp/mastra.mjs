// Mastra's MCP server on node:http, without sessions.
import { createServer } from 'node:http'
import { createTool } from '@mastra/core/tools'
import { MCPServer } from '@mastra/mcp'
import { report } from '../harness/report.mjs'
import { input, OPTIONS, output } from './tool.mjs'

const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: input,
  outputSchema: output,
  execute: async ({ a, b }) => ({ sum: a + b }),
})
const server = new MCPServer({ ...OPTIONS, tools: { add } })
const http = createServer((req, res) => {
  const url = new URL(req.url, 'http://127.0.0.1')
  void server.startHTTP({ url, httpPath: '/api/mcp', req, res, options: { serverless: true } })
})
http.listen(0, '127.0.0.1', () => report(http.address().port))
