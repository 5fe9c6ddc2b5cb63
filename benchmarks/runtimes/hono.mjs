import { createHono } from './hono-app.mjs'
import { startFetch } from './start.mjs'

await startFetch(createHono().fetch)
