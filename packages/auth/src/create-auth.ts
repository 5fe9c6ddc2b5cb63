import { AsyncLocalStorage } from 'node:async_hooks'
import { type Database, isConnectionError, isInspecting, migrate, openDatabase, type Transaction } from '@sdk/database'
import { ApiError, fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth } from '@sdk/server'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { createAuthEndpoint, isAPIError, sessionMiddleware } from 'better-auth/api'
import { parseUserOutput } from 'better-auth/db'
import { getMigrations } from 'better-auth/db/migration'
import { ACCESS_TOKEN_MS, signAccessToken, verifyAccessToken } from './access-token.ts'
import { type AuthOptions, type AuthSettings, resolveAuthOptions } from './auth-options.ts'
import { toAuthResponse } from './auth-response.ts'
import { type AuthRecord, toRequestAuth } from './request-auth.ts'

/** The part of a request that says who sends it. */
export interface AuthHeaders {
  get(name: string): string | null
}

/** Users, sessions and tokens of one application. */
export interface Auth {
  readonly basePath: string
  /** May a page of this origin act with a user's cookie, at a server reached under this host? */
  trusts(origin: string, host: string | null): boolean
  /** Resolves once the database is open and its tables are there; after a failure the next call tries again. */
  ready(): Promise<void>
  /** Creates and extends the tables: additive only, all or nothing, one process at a time. */
  migrate(): Promise<void>
  /** Who sends these headers, by access token or session cookie; throws `SERVICE_UNAVAILABLE` when the database is down. */
  getSession(headers: AuthHeaders): Promise<RequestAuth | null>
  /** Answers the routes below `basePath`. */
  handler(request: Request): Promise<Response>
  /** Closes the database, if `createAuth` opened it. */
  close(): Promise<void>
}

/**
 * Sets up authentication on a PostgreSQL database. Returns at once; opening and migrating run
 * beside the start of the server, and every route waits for them.
 * @example export const auth = createAuth({ connectionString: process.env.DATABASE_URL })
 */
export function createAuth(options: AuthOptions): Auth {
  const settings = resolveAuthOptions(options)
  const { source, secret, basePath, baseURL, trustedOrigins } = settings
  const database = 'url' in source ? openDatabase(source.url) : 'database' in source ? source.database : null
  const config = toBetterAuthOptions(settings, database)

  const start = retryable(async () => {
    await database?.ready()
    if (database && settings.autoMigrate) await migrateTables(database, config)
    // Only now: it looks at the tables as soon as it exists.
    const library = betterAuth(config)
    return { library, context: await library.$context }
  })
  // Whoever waits for ready() is told; until then nobody else can act on it.
  if (!isInspecting()) start().catch(() => {})

  async function readByToken(token: string): Promise<AuthRecord | null> {
    const claim = verifyAccessToken(token, secret)
    if (!claim) return null
    const { context } = await start()
    const found = await context.adapter.findOne<SessionRow>({
      model: 'session',
      where: [{ field: 'id', value: claim.sessionId }],
      join: { user: true },
    })
    if (!found?.user || found.expiresAt.getTime() <= Date.now()) return null
    return { session: found, user: parseUserOutput(context.options, found.user) }
  }

  async function readByCookie(cookie: string): Promise<AuthRecord | null> {
    const { library } = await start()
    // Renewing a session needs an answer to put the new cookie on: the auth routes do that.
    return library.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  }

  return {
    basePath,
    trusts: (origin, host) => trustedOrigins.includes(origin) || origin === (baseURL ?? originAt(host, origin)),
    ready: async () => void (await start()),
    async migrate() {
      if (!database) throw new Error('createAuth migrates its own tables, not those of an adapter: use its migrations')
      await migrateTables(database, config)
    },
    getSession: (headers) =>
      orUnavailable(async () => {
        const token = readToken(headers)
        if (token !== null) return toRequestAuth(await readByToken(token), 'bearer')
        const cookie = headers.get('cookie')
        if (!cookie?.includes(SESSION_COOKIE)) return null
        return toRequestAuth(await readByCookie(cookie), 'cookie')
      }),
    handler: (request) =>
      orUnavailable(async () => {
        const { library } = await start()
        return toAuthResponse(await library.handler(request))
      }),
    async close() {
      if (!isInspecting()) await start().catch(() => {})
      if ('url' in source) await database?.close()
    },
  }
}

/** Without a base URL the page must come from the host it calls, whichever that is. */
function originAt(host: string | null, origin: string): string | null {
  return URL.canParse(origin) && new URL(origin).host === host ? origin : null
}

const SESSION_COOKIE = 'sdk.session_token='

interface SessionRow {
  id: string
  userId: string
  expiresAt: Date
  user: Parameters<typeof parseUserOutput>[1] | null
}

function toBetterAuthOptions(settings: AuthSettings, database: Database | null): BetterAuthOptions {
  const { source, basePath, baseURL, secret, trustedOrigins, plugins } = settings
  return {
    database: ('adapter' in source ? source.adapter : database?.pool) as never,
    basePath,
    ...(baseURL !== null && { baseURL }),
    secret,
    trustedOrigins: [...trustedOrigins],
    plugins: [...plugins, accessTokenPlugin(secret)] as NonNullable<BetterAuthOptions['plugins']>,
    emailAndPassword: { enabled: true, revokeSessionsOnPasswordReset: true },
    session: { cookieCache: { enabled: false } },
    telemetry: { enabled: false },
    // The server's own limits stand in front of these routes.
    rateLimit: { enabled: false },
    onAPIError: { throw: true },
    logger: { level: 'error', log: noteFailure },
    advanced: {
      cookiePrefix: 'sdk',
      useSecureCookies: baseURL?.startsWith('https://') ?? false,
      // Said aloud because the library turns these checks off under NODE_ENV=test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      // It would believe any X-Forwarded-For.
      ipAddress: { disableIpTracking: true },
    },
  }
}

/** `POST {basePath}/access-token`: a short-lived token for the session of the cookie. */
function accessTokenPlugin(secret: string): { id: string; endpoints: object } {
  const accessToken = createAuthEndpoint('/access-token', { method: 'POST', use: [sessionMiddleware] }, async (ctx) => {
    const { session } = ctx.context.session
    const expiresAt = Math.min(Date.now() + ACCESS_TOKEN_MS, new Date(session.expiresAt).getTime())
    const token = signAccessToken({ sessionId: session.id, expiresAt }, secret)
    return ctx.json({ token, expiresAt: new Date(expiresAt).toISOString() })
  })
  return { id: 'sdk-access-token', endpoints: { accessToken } }
}

async function migrateTables(database: Database, config: BetterAuthOptions): Promise<void> {
  await migrate(database, 'sdk auth', async (transaction) => {
    const plan = await getMigrations({ ...config, database: onlyConnection(transaction) as never })
    await plan.runMigrations()
  })
}

/** A pool whose every connection is the transaction's, so that the planner sees and changes one schema under one lock. */
function onlyConnection({ client }: Transaction): object {
  const connection = {
    query: (sql: string, values: unknown[]) => client.query(sql, values),
    release: () => {},
  }
  return { connect: async () => connection, end: async () => {} }
}

function readToken(headers: AuthHeaders): string | null {
  return (
    fromAuthorization(headers.get('authorization')) ?? fromSubprotocols(headers.get('sec-websocket-protocol')).token
  )
}

/** Lost connections during the call that is running: the library only logs some, and answers as if nobody were signed in. */
const failures = new AsyncLocalStorage<unknown[]>()

function noteFailure(_level: string, message: string, ...details: unknown[]): void {
  for (const error of details) {
    if (isConnectionError(error)) failures.getStore()?.push(error)
    // oxlint-disable-next-line no-console -- a failure the library got over; the request's log is out of its reach
    else if (error instanceof Error && !isAPIError(error)) console.error(`auth: ${message}`, error)
  }
}

/** A database that cannot be reached is 503, never "not signed in". */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const lost: unknown[] = []
  try {
    const result = await failures.run(lost, work)
    if (lost.length === 0) return result
  } catch (error) {
    if (lost.length === 0 && !isConnectionError(error)) throw error
    lost.push(error)
  }
  throw new ApiError('SERVICE_UNAVAILABLE', 'The database cannot be reached', { cause: lost[0], retryAfter: 1 })
}

/** Runs once for all callers, and again for the next one after it failed. */
function retryable<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= work().catch((error: unknown) => {
      running = null
      throw error
    }))
}
