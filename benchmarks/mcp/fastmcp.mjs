// fastmcp without sessions. It has no option for a free port.
import { createServer } from 'node:net'
import { FastMCP } from 'fastmcp'
import { report } from '../harness/report.mjs'
import { input, OPTIONS } from './tool.mjs'

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const found = server.address().port
    server.close(() => resolve(found))
  })
})
const server = new FastMCP(OPTIONS)
server.addTool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: input,
  execute: async ({ a, b }) => JSON.stringify({ sum: a + b }),
})
await server.start({
  transportType: 'httpStream',
  httpStream: { port, host: '127.0.0.1', endpoint: '/api/mcp', stateless: true, enableJsonResponse: true },
})
report(port)
