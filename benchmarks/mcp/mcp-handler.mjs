// mcp-handler on Hono, as its documentation shows.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createMcpHandler } from 'mcp-handler'
import { report } from '../harness/report.mjs'
import { addTool } from './tool.mjs'

const handler = createMcpHandler(addTool)
const app = new Hono().all('/api/mcp', (c) => handler(c.req.raw))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => report(port))
