import { request as send, type RequestOptions } from 'node:http'
import { type Database, openDatabase } from '@sdk/database'
import { createApp, createLog, createRouter, serve } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { ADA, ORIGIN, SECRET } from '../auth-app.test.fixture.ts'
import { type AuthMail, createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'

/** A response with its parsed JSON. */
export interface TestResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}

/** Auth routes without limits on a real port; Ada has an account. */
export interface AuthServer {
  readonly database: Database
  readonly mails: AuthMail[]
  /** Sends a request with the path unchanged; `fetch` would normalize it. */
  call(options: RequestOptions, parts?: readonly string[]): Promise<TestResponse>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<TestResponse>
  /** Signs a user in and returns the session cookie. */
  cookieOf(email?: string): Promise<string>
  close(): Promise<void>
}

/** Starts an auth server. */
export async function openAuthServer(): Promise<AuthServer> {
  const database = openDatabase(await emptyDatabase())
  const mails: AuthMail[] = []
  const email = { send: (mail: AuthMail) => void mails.push(mail) }
  const auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN, throttle: false, email })
  await auth.ready()
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  const server = await serve(createApp({ router, rateLimit: false, log: createLog({ write: () => {} }) }), { port: 0 })
  const call: AuthServer['call'] = (options, parts = []) => exchange({ port: server.port, ...options }, parts)
  const post: AuthServer['post'] = (path, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return call({ method: 'POST', path, headers: { 'content-type': 'application/json', ...headers } }, [text])
  }
  await post('/api/auth/sign-up/email', ADA)
  return {
    database,
    mails,
    call,
    post,
    async cookieOf(user = ADA.email) {
      return cookieIn(await post('/api/auth/sign-in/email', { ...ADA, email: user }))
    },
    async close() {
      await server.close()
      await database.close()
    },
  }
}

/** Returns the first cookie that a response sets, in the form of a `Cookie` header. */
export function cookieIn({ headers }: TestResponse): string {
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

function exchange(options: RequestOptions, parts: readonly string[]): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => {
        const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    request.on('error', reject)
    for (const part of parts) request.write(part)
    request.end()
  })
}
