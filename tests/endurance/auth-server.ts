// A process that starts servers with auth, each on a given database. AUTH_URL and AUTH_SECRET are set for it.
import { createAuth, createSessionMiddleware, mountAuthRoutes, type UserFields } from '@sdk/auth'
import { createAgent, createApp, createRouter, type Log, serve } from '@sdk/server'
import { z } from 'zod'

/** The server to start: its database, and the release of the program. */
export const Plan = z.object({ url: z.string(), version: z.enum(['first', 'second', 'unsafe']) })
export type Plan = z.infer<typeof Plan>

const FIELDS: Record<Plan['version'], UserFields> = {
  first: {},
  second: { role: { type: 'string', default: 'member' }, nickname: { type: 'string', input: true } },
  unsafe: { country: { type: 'string', input: true, required: true } },
}

const badges = {
  id: 'badges',
  schema: { badge: { fields: { name: { type: 'string', unique: true }, userId: { type: 'string', index: true } } } },
}

const quiet = (): void => {}
/** Prints only errors, which the tests check. */
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (message, fields) => console.log(JSON.stringify({ message, ...fields })),
}

const running = new Map<string, () => Promise<void>>()

const start = createAgent('start', {
  input: Plan,
  handler: async (_ctx, { url, version }) => {
    const auth = createAuth({
      connectionString: url,
      throttle: false,
      userFields: FIELDS[version],
      plugins: version === 'first' ? [] : [badges],
      email: { send: quiet },
    })
    const failure = await auth.ready().then(
      () => null,
      (error: unknown) => String(error),
    )
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth))
      .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
      .on('GET /api/me', async (ctx) => ({ ...(await ctx.auth?.getUser()) }))
    const server = await serve(createApp({ router, rateLimit: false, log }), { port: 0, signals: false })
    running.set(server.url, async () => {
      await server.close()
      await auth.close()
    })
    return { url: server.url, failure }
  },
})

const stop = createAgent('stop', {
  input: z.object({ url: z.string() }),
  handler: async (_ctx, { url }) => {
    await running.get(url)?.()
    running.delete(url)
  },
})

const server = await serve(createApp({ agents: [start, stop], rateLimit: false, log }), { port: 0, signals: false })
console.log(server.url)
