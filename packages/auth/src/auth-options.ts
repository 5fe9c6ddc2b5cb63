import { isInspecting, type Database } from '@sdk/database'
import { resolveThrottle, type ThrottleLimits } from './routes/throttle-limits.ts'
import { readDevelopmentSecret } from './secret.ts'

/** Any Better Auth plugin: `organization()`, `twoFactor()`, … */
export interface AuthPlugin {
  readonly id: string
}

/** A Better Auth database adapter, such as `drizzleAdapter(db, { provider: 'pg' })`. */
export type AuthAdapter = (options: never) => object

/** A mail to a user, with the link that is its point. */
export interface AuthMail {
  readonly kind: 'verify-email' | 'reset-password' | (string & {})
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly url: string
}

/** How mail is sent. */
export interface AuthEmailOptions {
  send(mail: AuthMail): void | Promise<void>
  /** Must an address be verified before its user can sign in? @default false */
  requireVerification?: boolean | undefined
}

/** What `createAuth` takes. */
export interface AuthOptions {
  /** `postgres://…`, `pglite://dir` or `pglite://memory`. Exactly one of this and `database`. */
  connectionString?: string | undefined
  /** An open database to share, or an adapter for tables of your own. Exactly one of this and `connectionString`. */
  database?: Database | AuthAdapter | undefined
  /** The path below which the auth routes live. @default '/api/auth' */
  basePath?: string | undefined
  /** The origin users see. Required in production. @default `AUTH_URL`, else the origin of each request */
  baseURL?: string | undefined
  /** Signs cookies and tokens; at least 32 characters. @default `AUTH_SECRET`, else in development one made for the project in `.sdk` */
  secret?: string | undefined
  /** Further origins whose pages may sign users in and send their cookies, written exactly. @default [] */
  trustedOrigins?: readonly string[] | undefined
  /** The proxies whose `X-Forwarded-For` is believed: addresses and networks. @default those of the app */
  trustedProxies?: readonly string[] | undefined
  /** Sends the links for verification and for a new password. @default in development, shows them in the terminal */
  email?: AuthEmailOptions | undefined
  /** May pages of other sites, whose cookies browsers block, hold a session token themselves? @default false */
  bearer?: boolean | undefined
  /** How often what may be tried, where the defaults do not fit; `false`: as often as one likes. */
  throttle?: Partial<ThrottleLimits> | false | undefined
  /** How long a session that was read is believed in this process, in ms. @default 5_000 */
  sessionCacheMs?: number | undefined
  /** @default [] */
  plugins?: readonly AuthPlugin[] | undefined
  /** Create and extend the tables at start. @default true */
  autoMigrate?: boolean | undefined
}

/** The options once checked and filled in. */
export interface AuthSettings {
  readonly source: { readonly url: string } | { readonly database: Database } | { readonly adapter: AuthAdapter }
  readonly basePath: string
  readonly baseURL: string | null
  readonly secret: string
  readonly trustedOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly email: AuthEmailOptions | null
  readonly bearer: boolean
  readonly throttle: ThrottleLimits | false
  readonly sessionCacheMs: number
  readonly plugins: readonly AuthPlugin[]
  readonly autoMigrate: boolean
}

/** Checks the options and fills in what is left out; a mistake is an error now, not at the first sign-in. */
export function resolveAuthOptions(options: AuthOptions, env: NodeJS.ProcessEnv = process.env): AuthSettings {
  const isProduction = env['NODE_ENV'] === 'production' && !isInspecting(env)
  const baseURL = options.baseURL ?? (env['AUTH_URL'] || null)
  if (isProduction && baseURL === null)
    throw new TypeError('createAuth needs the origin users see in production: set baseURL or AUTH_URL')
  return {
    source: resolveSource(options),
    basePath: assertPath(options.basePath ?? '/api/auth'),
    baseURL: baseURL === null ? null : assertOrigin(baseURL, 'baseURL'),
    secret: isInspecting(env) ? UNUSED_SECRET : resolveSecret(options.secret ?? env['AUTH_SECRET'], isProduction),
    trustedOrigins: (options.trustedOrigins ?? []).map((origin) => assertOrigin(origin, 'trustedOrigins')),
    trustedProxies: options.trustedProxies ?? [],
    email: options.email ?? null,
    bearer: options.bearer ?? false,
    throttle: resolveThrottle(options.throttle),
    sessionCacheMs: options.sessionCacheMs ?? 5000,
    plugins: options.plugins ?? [],
    autoMigrate: options.autoMigrate ?? true,
  }
}

function resolveSource({ connectionString, database }: AuthOptions): AuthSettings['source'] {
  // Better Auth itself would fall back to memory, and lose every user at the next start.
  if ((connectionString !== undefined) === (database !== undefined))
    throw new TypeError(
      `createAuth needs a connectionString or a database, and got ${database === undefined ? 'neither' : 'both'}`,
    )
  if (connectionString !== undefined) return { url: connectionString }
  if (typeof database === 'function') return { adapter: database }
  if (typeof database === 'object' && database !== null && 'pool' in database) return { database }
  throw new TypeError(
    `createAuth takes openDatabase(…) or a Better Auth adapter as database, and got ${String(database)}`,
  )
}

const MINIMUM_SECRET = 32

/** Nothing is signed by a process that only looks. */
const UNUSED_SECRET = 'nothing is signed with this text'

/** What Better Auth signs with when it is given nothing; published with its source. */
const PUBLISHED_SECRET = 'better-auth-secret-12345678901234567890'

function resolveSecret(secret: string | undefined, isProduction: boolean): string {
  if (!isProduction) return secret || readDevelopmentSecret()
  if (secret === undefined || secret.length < MINIMUM_SECRET || secret === PUBLISHED_SECRET)
    throw new TypeError(
      `createAuth needs a secret of at least ${MINIMUM_SECRET} random characters in production: ` +
        'set secret or AUTH_SECRET, for example to the output of `openssl rand -base64 32`',
    )
  return secret
}

function assertPath(path: string): string {
  if (!/^(\/[\w.~-]+)+$/.test(path))
    throw new TypeError(`basePath is a path such as '/api/auth', and got ${JSON.stringify(path)}`)
  return path
}

function assertOrigin(value: string, name: string): string {
  const isOrigin = /^https?:\/\/[^*?]+$/.test(value) && URL.canParse(value) && isBare(new URL(value))
  if (!isOrigin)
    throw new TypeError(
      `${name} takes exact origins such as 'https://app.example.com', without path or wildcard, and got ${JSON.stringify(value)}`,
    )
  return new URL(value).origin
}

function isBare(url: URL): boolean {
  return url.href === `${url.origin}/`
}
