// No line a request, as the peers run.
import { createLog } from '@sdk/server'
import { start } from './sdk-app.mjs'

await start(createLog({ level: 'error' }))
