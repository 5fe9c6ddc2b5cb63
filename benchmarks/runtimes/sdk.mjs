// Our server, without request logs, like the peers.
import { createAgent, createApp, createLog, serve } from '@sdk/server'
import { burst, Input, work } from '../http/shape.mjs'
import { printPort, RUNTIME } from './start.mjs'

const app = createApp({
  agents: [
    createAgent('work', { input: Input, handler: (_ctx, input) => work(input) }),
    createAgent('burst', { handler: burst }),
  ],
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  log: createLog({ level: 'error' }),
})
const start = RUNTIME === 'node' ? serve : (await import(`@sdk/server/${RUNTIME}`)).serve
const { port } = await start(app, { port: 0 })
printPort(port)
