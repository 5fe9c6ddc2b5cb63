// Without request logs, like the peers.
import { createLog } from '@sdk/server'
import { start } from './sdk-app.mjs'

await start(createLog({ level: 'error' }))
