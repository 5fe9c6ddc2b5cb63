// Our server, as users run it. `BENCH_CACHE_MS` is the lifetime of a cached session.
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createApp, createLog, createRouter, serve } from '@sdk/server'
import { report } from '../harness/report.mjs'
import { databaseUrl, quiet, secret, status } from './shape.mjs'

const auth = createAuth({
  connectionString: databaseUrl,
  secret,
  baseURL: 'http://app.test',
  throttle: false, // twenty users sign up at once
  sessionCacheMs: Number(process.env.BENCH_CACHE_MS ?? 5000),
})
const router = createRouter()
  .use('/api/private/*', createSessionMiddleware(auth))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('GET /api/open/status', status)
  .on('GET /api/private/status', status)
const app = createApp({ ...quiet, router, log: createLog({ level: 'error' }) })
await auth.ready()
const server = await serve(app, { port: 0 })
report(server.port)
