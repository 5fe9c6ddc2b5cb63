import { isInspecting, type Database } from '@sdk/database'
import { reportEnvError } from '@sdk/server'
import {
  assertDuration,
  assertExactOrigin,
  assertExactOrigins,
  assertPath,
  assertProxies,
  isOrigin,
} from './assert-options.ts'
import { type AuthEmailOptions, type AuthEmailSettings, showMail } from './auth-mail.ts'
import { assertPlugins, type AuthPlugin } from './auth-plugin.ts'
import { type McpOptions, type McpSettings, resolveMcp } from './mcp-options.ts'
import { resolveThrottle, type ThrottleLimits } from './routes/throttle-limits.ts'
import { resolveSecret, UNUSED_SECRET } from './secret.ts'
import { assertUserFields, type UserFields } from './user-fields.ts'

/** A Better Auth database adapter, such as `drizzleAdapter(db, { provider: 'pg' })`. */
export type AuthAdapter = (options: never) => object | Promise<object>

/** Options for `createAuth`. */
export interface AuthOptions<Fields extends UserFields = UserFields> {
  /** The database URL: `postgres://…`, `pglite://dir` or `pglite://memory`. Pass either this or `database`. */
  connectionString?: string | undefined
  /** An open database to share, or an adapter for your own tables. Pass either this or `connectionString`. */
  database?: Database | AuthAdapter | undefined
  /** The base path of the auth routes. @default '/api/auth' */
  basePath?: string | undefined
  /** The app's public origin. Required in production. @default `AUTH_URL`, or the origin of each request */
  baseURL?: string | undefined
  /**
   * The secret used to sign cookies and tokens. Production requires at least 32 random characters.
   * @default `AUTH_SECRET`; in development, a secret that is generated and stored in `.sdk`
   */
  secret?: string | undefined
  /** Additional origins, without wildcards, whose pages may sign users in and send their cookies. @default [] */
  trustedOrigins?: readonly string[] | undefined
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. @default the app's `trustedProxies` */
  trustedProxies?: readonly string[] | undefined
  /**
   * Options for verification and password reset emails.
   * @default in development, prints the links; in production, sends nothing
   */
  email?: AuthEmailOptions | undefined
  /** Whether pages on other sites, whose cookies browsers block, can get a session token. @default false */
  bearer?: boolean | undefined
  /** Limits for sign-in attempts and emails; `false` disables them. @default the defaults of `ThrottleLimits` */
  throttle?: ThrottleLimits | false | undefined
  /** How long each process caches a session, in ms. @default 5_000 */
  sessionCacheMs?: number | undefined
  /** Additional user fields; see `UserField`. @default {} @example { role: { type: 'string', default: 'member' } } */
  userFields?: Fields | undefined
  /** Better Auth plugins, which can add routes and tables. @default [] */
  plugins?: readonly AuthPlugin[] | undefined
  /** Lets MCP clients act for users who approve them, with OAuth 2.1. @default no OAuth */
  mcp?: McpOptions | undefined
  /** Whether to create and extend the tables at startup. @default true */
  autoMigrate?: boolean | undefined
}

/** The validated options with defaults applied. */
export interface AuthSettings {
  readonly isProduction: boolean
  readonly source: { readonly url: string } | { readonly database: Database } | { readonly adapter: AuthAdapter }
  readonly basePath: string
  readonly baseURL: string | null
  readonly secret: string
  readonly trustedOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly email: AuthEmailSettings
  readonly bearer: boolean
  readonly throttle: Required<ThrottleLimits> | false
  readonly sessionCacheMs: number
  readonly userFields: UserFields
  readonly plugins: readonly AuthPlugin[]
  readonly mcp: McpSettings | null
  readonly autoMigrate: boolean
}

/** Validates the options and applies defaults. Invalid options throw here, not at the first sign-in. */
export function resolveAuthOptions(options: AuthOptions, env: NodeJS.ProcessEnv = process.env): AuthSettings {
  const isProduction = env['NODE_ENV'] === 'production' && !isInspecting(env)
  return {
    isProduction,
    source: resolveSource(options, isProduction ? env['DATABASE_URL'] : EMBEDDED_DATABASE),
    basePath: assertPath(options.basePath ?? '/api/auth', 'basePath'),
    baseURL: resolveBaseURL(options.baseURL, env, isProduction),
    secret: isInspecting(env) ? UNUSED_SECRET : resolveSecret(options.secret, env),
    trustedOrigins: assertExactOrigins(options.trustedOrigins ?? []),
    trustedProxies: assertProxies(options.trustedProxies ?? []),
    email: resolveEmail(options.email ?? {}, isProduction),
    bearer: options.bearer ?? false,
    throttle: resolveThrottle(options.throttle),
    sessionCacheMs: assertDuration(options.sessionCacheMs ?? 5000, 'sessionCacheMs'),
    userFields: assertUserFields(options.userFields ?? {}),
    plugins: assertPlugins(options.plugins ?? [], options.mcp === undefined ? ['sdk'] : ['sdk', 'oauth-provider']),
    mcp: options.mcp === undefined ? null : resolveMcp(options.mcp),
    autoMigrate: options.autoMigrate ?? true,
  }
}

const EMBEDDED_DATABASE = 'pglite://.sdk/data'

/** Placeholders for missing settings, used while the other settings are checked. Nothing ever connects to them. */
const PLACEHOLDERS = { url: 'postgres://missing.invalid/', origin: 'https://missing.invalid' }

function resolveBaseURL(given: string | undefined, env: NodeJS.ProcessEnv, isProduction: boolean): string | null {
  if (given !== undefined) return assertExactOrigin(given, 'baseURL')
  const url = env['AUTH_URL'] ?? ''
  if (url === '' && !isProduction) return null
  if (isOrigin(url)) return new URL(url).origin
  const problem = url === '' ? 'is not set' : `must be an origin, got ${JSON.stringify(url)}`
  const purpose = 'it is the public origin of the app, used for cookies and for links in emails'
  const example = 'AUTH_URL=https://app.example.com'
  return reportEnvError({ name: 'AUTH_URL', problem, purpose, example }, PLACEHOLDERS.origin)
}

function resolveSource(options: AuthOptions, environmentUrl: string | undefined): AuthSettings['source'] {
  const { connectionString, database } = options
  if (!environmentUrl && database === undefined && 'connectionString' in options && !connectionString)
    return { url: refuseAuthDatabase('is not set') }
  // Better Auth would fall back to memory and lose all users at the next restart.
  if ((connectionString !== undefined) === (database !== undefined))
    throw new TypeError(
      `createAuth needs a connectionString or a database, got ${database === undefined ? 'neither: is DATABASE_URL set?' : 'both'}`,
    )
  if (connectionString === '') throw new TypeError('createAuth: connectionString is empty. Is DATABASE_URL set?')
  if (connectionString !== undefined) return { url: assertExplicitEmbedded(connectionString, environmentUrl) }
  if (typeof database === 'function') return { adapter: database }
  if (typeof database === 'object' && database !== null && 'pool' in database) return { database }
  throw new TypeError(`createAuth: database must be openDatabase(…) or a Better Auth adapter, got ${String(database)}`)
}

/**
 * Throws if production would use the embedded database although `DATABASE_URL` does not request it. The embedded
 * database serves only one process, and its data is lost with the machine.
 */
function assertExplicitEmbedded(url: string, environmentUrl = ''): string {
  if (!url.startsWith('pglite:') || environmentUrl.startsWith('pglite:')) return url
  return refuseAuthDatabase(
    environmentUrl === ''
      ? 'is not set'
      : 'differs from the connectionString of createAuth, which selects the embedded database',
  )
}

function refuseAuthDatabase(problem: string): string {
  const purpose = 'it selects the database for users and sessions'
  const example = `DATABASE_URL=postgres://user:password@host:5432/name, or ${EMBEDDED_DATABASE} for the embedded database`
  return reportEnvError({ name: 'DATABASE_URL', problem, purpose, example }, PLACEHOLDERS.url)
}

function resolveEmail(options: AuthEmailOptions, isProduction: boolean): AuthEmailSettings {
  const { send = isProduction ? null : showMail, requireVerification = false } = options
  if (send !== null && typeof send !== 'function')
    throw new TypeError(`createAuth: email.send must be a function that sends an email, got ${typeof send}`)
  if (requireVerification && send === null)
    throw new TypeError(
      'createAuth: email.requireVerification needs email.send in production: without the email, users cannot sign in',
    )
  const resetPath = assertPath(options.resetPath ?? '/reset-password', 'email.resetPath')
  return { send, requireVerification, resetPath }
}
