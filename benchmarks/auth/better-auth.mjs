// The library alone on the same server: a handler calls `getSession`, as its documentation shows.
import { createApp, createLog, createRouter, serve } from '@sdk/server'
import { ApiError } from '@sdk/protocol'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import pg from 'pg'
import { report } from '../harness/report.mjs'
import { databaseUrl, quiet, secret, status } from './shape.mjs'

const options = {
  database: new pg.Pool({ connectionString: databaseUrl, max: 10 }),
  secret,
  baseURL: 'http://app.test',
  basePath: '/api/auth',
  emailAndPassword: { enabled: true },
  advanced: { cookiePrefix: 'sdk' },
  rateLimit: { enabled: false },
  session: { cookieCache: { enabled: process.env.BENCH_COOKIE_CACHE === '1', maxAge: 300 } },
}
await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)
const router = createRouter()
  .on('GET|POST /api/auth/*', (ctx) => auth.handler(ctx.request))
  .on('GET /api/open/status', status)
  .on('GET /api/private/status', async (ctx) => {
    const session = await auth.api.getSession({ headers: ctx.request.headers })
    if (session === null) throw new ApiError('UNAUTHORIZED', 'Sign in to use this route')
    return status()
  })
const app = createApp({ ...quiet, router, log: createLog({ level: 'error' }) })
const server = await serve(app, { port: 0 })
report(server.port)
