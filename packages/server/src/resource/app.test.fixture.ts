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

/** A response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  /** For errors: the code and the pointer or name of each detail. */
  readonly faults: readonly string[]
}

/** The options of a request, in addition to its method and path. */
export interface Parts {
  /** The id of the user. @default anonymous */
  as?: string
  headers?: Record<string, string>
  /** Strings are sent unchanged, other values as JSON. */
  body?: unknown
}

/** Sends a request, such as `PATCH /tasks/1`. */
export type Send = (line: string, parts?: Parts) => Promise<Answer>

type AppRules = ResourceOptions & { limits?: RequestLimits }

/** Creates an app with one resource in v1, which logs to `lines`. */
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

/** Session middleware whose tokens are user ids. */
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
