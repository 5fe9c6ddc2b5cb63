// With the default log of production: one line of JSON per request.
import { createLog } from '@sdk/server'
import { start } from './sdk-app.mjs'

await start(createLog())
