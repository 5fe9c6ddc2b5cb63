import { createAuth, createSessionMiddleware, mountAuthRoutes, type Auth } from '@sdk/auth'
import { createAgent, createRouter, createSocket, type Context } from '@sdk/server'
import { freePort } from '@sdk/test-kit'
import { ADA, SECRET } from '../auth/people.ts'
import { startService, type JsonResponse, type Service } from './service.ts'

/** The app with users; Ada has an account. */
export interface GuardedApp extends Service {
  readonly auth: Auth
  /** A session of Ada, as a browser sends it. */
  signIn(): Promise<string>
}

/** Returns the user in the shape of the guide, with an `error` for guests. */
async function whoami(ctx: Context): Promise<object> {
  if (ctx.auth === null) return { error: 'sign in first', authorization: ctx.header('authorization') }
  const { name } = await ctx.auth.getUser()
  return { name, via: ctx.auth.via, authorization: ctx.header('authorization') }
}

/** Starts the app with users, on a database in memory. */
export async function startGuardedApp(): Promise<GuardedApp> {
  const port = await freePort()
  const auth = createAuth({
    connectionString: 'pglite://memory',
    secret: SECRET,
    // It would use the page of these tests, which is in the same process.
    baseURL: `http://127.0.0.1:${port}`,
  })
  await auth.ready()
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET|POST /api/me', whoami)
    .socket('/ws/me', createSocket({ message: async (peer) => peer.send((await peer.auth?.getUser())?.name ?? null) }))
  const agents = [createAgent('whoami', { handler: whoami })]
  const service = await startService({ agents, router }, port)
  await service.call('POST /api/auth/sign-up/email', ADA)
  let session: Promise<string> | undefined
  return {
    ...service,
    auth,
    signIn: () => (session ??= service.call('POST /api/auth/sign-in/email', ADA).then(cookieOf)),
    async close() {
      await service.close()
      await auth.close()
    },
  }
}

/** Returns the cookie that a response sets, as a browser sends it. */
export function cookieOf({ headers }: JsonResponse): string {
  return (headers['set-cookie'] ?? '').split(';', 1)[0] ?? ''
}
