// The server of examples/blog, with its checks, headers and limits. No request logs, like the peer.
import { createApp, createLog, serve } from '@sdk/server'
import router from '../../examples/blog/src/api/index.ts'
import formatError from '../../examples/blog/src/format-error.ts'
import { report } from '../harness/report.mjs'

const app = createApp({
  router,
  formatError,
  rateLimit: { default: { quota: 1e9, window: 60 } },
  log: createLog({ level: 'error' }),
})
const server = await serve(app, { port: 0 })
report(server.port)
