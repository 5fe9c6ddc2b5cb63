// Our server without request logs, like its peers.
import { createAgent, createApp, createLog } from '@sdk/server'
import { createWorker } from '@sdk/server/workers'
import { burst, Input, work } from '../http/shape.mjs'

const app = createApp({
  agents: [
    createAgent('work', { input: Input, handler: (_ctx, input) => work(input) }),
    createAgent('burst', { handler: burst }),
  ],
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  log: createLog({ level: 'error' }),
})

export default createWorker(app)
