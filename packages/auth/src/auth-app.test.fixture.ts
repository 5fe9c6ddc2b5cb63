import assert from 'node:assert/strict'
import {
  createAgent,
  createApp,
  createLog,
  createRouter,
  type App,
  type Context,
  type Engine,
  memoryEngine,
} from '@sdk/server'
import { type Auth, createSessionMiddleware, mountAuthRoutes } from './index.ts'

export const ORIGIN = 'http://app.test'
export const SECRET = 'a secret of the tests, long enough to be one'
export const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

/** Creates an app with open, guarded and auth routes, and an agent. */
export function createTestApp(auth: Auth, engine: Engine = memoryEngine()): Pick<App, 'fetch' | 'close'> {
  const me = async (ctx: Context) => ({ via: ctx.auth?.via ?? null, user: (await ctx.auth?.getUser()) ?? null })
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .use('/open/*', createSessionMiddleware(auth, { optional: true }))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET /api/me', me)
    .on('GET /open/me', me)
    .on('POST /api/act', () => ({ done: true }))
  const whoami = createAgent('whoami', { handler: (ctx) => me(ctx) })
  return createApp({ agents: [whoami], router, engine, rateLimit: false, log: createLog({ write: () => {} }) })
}

/** A simulated browser tab for the auth routes. */
export interface Browser {
  fetch: typeof fetch
  get(path: string): Promise<Response>
  post(path: string, body: unknown): Promise<Response>
  cookie(): string
}

/** Creates a browser that stores cookies and sends an `Origin` header, as a page of the app does. */
export function createBrowser(app: Pick<App, 'fetch'>): Browser {
  let cookie = ''
  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    request.headers.set('origin', ORIGIN)
    request.headers.set('host', 'app.test')
    if (cookie !== '') request.headers.set('cookie', cookie)
    const response = await app.fetch(request)
    for (const line of response.headers.getSetCookie())
      cookie = line.includes('Max-Age=0') ? '' : (line.split(';')[0] ?? '')
    return response
  }
  const headers = { 'content-type': 'application/json' }
  return {
    fetch: send,
    get: (path) => send(ORIGIN + path),
    post: (path, body) => send(ORIGIN + path, { method: 'POST', headers, body: JSON.stringify(body) }),
    cookie: () => cookie,
  }
}

/** Returns a browser in which Ada is signed in. */
export async function signedIn(app: Pick<App, 'fetch'>): Promise<Browser> {
  const browser = createBrowser(app)
  const signIn = await browser.post('/api/auth/sign-in/email', ADA)
  const response = signIn.ok ? signIn : await browser.post('/api/auth/sign-up/email', ADA)
  assert.equal(response.status, 200)
  return browser
}

/** Returns Ada's access token. */
export async function getToken(browser: Browser): Promise<{ token: string; expiresAt: string }> {
  const response = await browser.post('/api/auth/access-token', {})
  assert.equal(response.status, 200)
  const body = await readJson(response)
  return { token: String(body['token']), expiresAt: String(body['expiresAt']) }
}

/** Returns the members of a JSON response. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>
}
