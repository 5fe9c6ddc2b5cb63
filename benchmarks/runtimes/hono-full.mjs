// Hono with the parts that our server always has.
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { rateLimiter } from 'hono-rate-limiter'
import { createHono } from './hono-app.mjs'
import { startFetch } from './start.mjs'

const limiter = rateLimiter({ windowMs: 60_000, limit: 1e9, keyGenerator: () => '127.0.0.1' })
await startFetch(createHono(requestId(), secureHeaders(), limiter).fetch)
