// Our server, as users run it: request id, rate limit, security headers and envelope on.
import { createAgent, createApp, serve } from '@sdk/server'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

/** Serves the benchmark's app with this log. */
export async function start(log) {
  const app = createApp({
    agents: [
      createAgent('work', { input: Input, handler: (_ctx, input) => work(input) }),
      createAgent('burst', { handler: burst }),
      createAgent('paced', { handler: paced }),
    ],
    rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
    log,
  })
  const server = await serve(app, { port: 0 })
  report(server.port)
}
