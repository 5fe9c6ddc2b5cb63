// Our server: an agent, also as a tool over MCP. `BENCH_MCP=no` leaves the package and its route out.
import { createAgent, createApp, createLog, createRouter, serve } from '@sdk/server'
import { z } from 'zod'
import { report } from '../harness/report.mjs'

const add = createAgent('add', {
  description: 'Adds two numbers.',
  auth: false,
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  handler: (_ctx, { a, b }) => ({ sum: a + b }),
})
const router = createRouter()
if (process.env.BENCH_MCP !== 'no') {
  const { mcp } = await import('@sdk/mcp')
  router.on('POST /api/mcp', mcp({ add: 'POST /agent/add' }))
}
const app = createApp({ agents: [add], router, rateLimit: false, log: createLog({ level: 'error' }) })
const { port } = await serve(app, { port: 0 })
report(port)
