import type { SessionMiddleware } from '../define/session-middleware.ts'
import type { Middleware } from '../define/middleware.ts'
import type { RequestAuth } from '../auth/identity.ts'
import type { ErrorDetail } from '@sdk/protocol'
import { createApp } from '../app/app.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { Log } from '../log/log.ts'
import type { Resource } from '../define/resource.ts'
import { createRouter } from '../define/router.ts'
import type { ResourceOptions } from '../define/lifetime.ts'

/** What came back. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  /** Of an error: code and pointer, or name, of each detail. */
  readonly faults: readonly string[]
}

/** What a request has beside its first line. */
export interface Parts {
  /** Who is calling. @default nobody */
  as?: string
  headers?: Record<string, string>
  /** Text goes as it is, anything else as JSON. */
  body?: unknown
}

/** Sends a request, such as `PATCH /tasks/1`. */
export type Send = (line: string, parts?: Parts) => Promise<Answer>

type AppRules = ResourceOptions & { limits?: RequestLimits }

/** An app with one resource in v1; what it logs goes to `lines`. */
export function appOf(resource: Resource, { limits = {}, ...options }: AppRules = {}, lines: string[] = []): Send {
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => void lines.push(lineOf(message, fields)),
  }
  const router = createRouter().use('/api/*', session).resource('v1', resource, options)
  const app = createApp({ log, rateLimit: false, router, limits })
  return async (line, { as, headers, body } = {}) => {
    const [method = 'GET', path = ''] = line.split(' ')
    const request = new Request(`http://localhost/api/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return toAnswer(await app.fetch(request))
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as {
    error?: { details: ErrorDetail[] }
    [member: string]: unknown
  }
  const details = body.error?.details ?? []
  const faults = details.map(({ code, pointer, name }) => `${code} ${pointer ?? name}`)
  return { status: response.status, headers: response.headers, body, faults }
}

function lineOf(message: string, fields?: object): string {
  const { error } = (fields ?? {}) as { error?: unknown }
  return `${message} ${error instanceof Error ? error.message : JSON.stringify(fields)}`
}

/** A token is a user's id. */
const session: SessionMiddleware = Object.assign(((_ctx, next) => next()) satisfies Middleware, {
  authenticate(headers: { get(name: string): string | null }): Promise<RequestAuth | null> {
    const [, id] = (headers.get('authorization') ?? '').split(' ')
    return Promise.resolve(id === undefined ? null : toAuth(id))
  },
  trusts: () => false,
})

function toAuth(id: string): RequestAuth {
  const long = '2000-01-01T00:00:00.000Z'
  const profile = { email: `${id}@example.test`, emailVerified: true, image: null, createdAt: long, updatedAt: long }
  return {
    via: 'bearer',
    session: { id: `session of ${id}`, userId: id, expiresAt: '2099-01-01T00:00:00.000Z' },
    getUser: () => Promise.resolve({ id, name: id, ...profile }),
  }
}
