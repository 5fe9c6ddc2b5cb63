// Hono with the parts that our server always has, such as a rate limit for each address.
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { rateLimiter } from 'hono-rate-limiter'
import { createHono } from './hono-app.mjs'
import { RUNTIME, startFetch } from './start.mjs'

const { getConnInfo } = await (RUNTIME === 'node' ? import('@hono/node-server/conninfo') : import(`hono/${RUNTIME}`))
const keyGenerator = (context) => getConnInfo(context).remote.address
const limiter = rateLimiter({ windowMs: 60_000, limit: 1e9, keyGenerator })
await startFetch(createHono(requestId(), secureHeaders(), limiter).fetch)
