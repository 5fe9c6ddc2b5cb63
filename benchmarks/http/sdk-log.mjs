// With the log that it has by default in production: a line of JSON for every request.
import { createLog } from '@sdk/server'
import { start } from './sdk-app.mjs'

await start(createLog())
