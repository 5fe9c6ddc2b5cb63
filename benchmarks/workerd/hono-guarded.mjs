// Hono with the features that our server always has: request ids, security headers and a rate limit.
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { createHonoApp } from './hono-app.mjs'

const [QUOTA, WINDOW_MS] = [1e9, 60_000]
const used = new Map()

/** The smallest possible rate limit with its headers: a counter per address and window, in memory. */
async function limitRate(context, next) {
  const key = context.req.header('cf-connecting-ip') ?? '127.0.0.1'
  const now = Date.now()
  let state = used.get(key)
  if (state === undefined || state.resetAt <= now) used.set(key, (state = { count: 0, resetAt: now + WINDOW_MS }))
  state.count += 1
  context.header('ratelimit-policy', `"default";q=${QUOTA};w=60`)
  context.header('ratelimit', `"default";r=${QUOTA - state.count};t=${Math.ceil((state.resetAt - now) / 1000)}`)
  if (state.count > QUOTA) return context.json({ error: 'too many requests' }, 429)
  return next()
}

export default createHonoApp(requestId(), secureHeaders(), limitRate)
