import type { RequestAuth, SessionHost, UserTools, WellKnownDocument } from '@sdk/server'
import type { NoUserFields, UserFields } from './user-fields.ts'
import type { AuthUsers } from './users/auth-users.ts'
import type { ProfileField, Profiles } from './users/profiles.ts'

/** The request headers that identify the user. */
export interface AuthHeaders {
  get(name: string): string | null
}

/** The connection details of a request. */
export interface RequestOrigin {
  /**
   * The client's address, taking trusted proxies into account. Without an address, attempts are limited only per
   * account.
   */
  readonly address?: string | undefined
}

/** An auth instance, which manages the users, sessions and tokens of one application. */
export interface Auth<Fields extends UserFields = NoUserFields> {
  readonly basePath: string
  /** Additional origins whose pages may sign users in. */
  readonly trustedOrigins: readonly string[]
  /** Returns whether a page from this origin may send a user's cookie to this host. */
  trusts(origin: string, host: string | null): boolean
  /** Resolves once the database is open and its tables exist. After a failure, the next call tries again. */
  ready(): Promise<void>
  /** Creates and extends the tables. Changes are additive and atomic, and only one process migrates at a time. */
  migrate(): Promise<void>
  /**
   * Returns the session for a token or cookie, or null if there is no valid session. Throws `SERVICE_UNAVAILABLE` if
   * the database is unavailable.
   */
  getSession(headers: AuthHeaders): Promise<RequestAuth | null>
  /**
   * Returns the same as `getSession`, but synchronously on a cache hit. With the path of the request, it also accepts
   * the OAuth tokens that are valid for this path. Used by `createSessionMiddleware`.
   */
  identify(headers: AuthHeaders, path?: string): RequestAuth | null | Promise<RequestAuth | null>
  /** Returns synchronously whether these credentials were recently valid, without verifying their signature. */
  isKnown(headers: AuthHeaders): boolean
  /** Returns the sessions that still exist, each with its expiry time in ms since the Unix epoch. */
  getActiveSessions(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Functions that manage users from server code. They do not check permissions, and no route exposes them. */
  readonly users: AuthUsers<Fields>
  /**
   * Returns a relation target for user profiles, which contain the id and the given fields. Anyone who may read a row
   * can also read the related profile.
   * @example relate(articles, { author: belongsTo(auth.profiles({ fields: ['name', 'image'] }), 'authorId') })
   */
  profiles<const Names extends ProfileField<Fields>>(options: {
    readonly fields: readonly Names[]
  }): Profiles<Fields, Names>
  /** Returns the parameters of `WWW-Authenticate: Bearer` for a path that accepts OAuth tokens, or null. */
  challenge(headers: AuthHeaders, path: string): string | null
  /** The documents that describe OAuth to clients. Empty without the `mcp` option. */
  readonly wellKnown: readonly WellKnownDocument[]
  /** The paths of the routes that OAuth clients call, also from pages of other origins. Empty without the `mcp` option. */
  readonly openPaths: ReadonlySet<string>
  /** Functions for tools that act as users, such as the workbench. Null in production. No route exposes them. */
  readonly development: UserTools | null
  /**
   * Renews a cookie's session if a renewal is due. Returns `Set-Cookie` lines, or null. Used by
   * `createSessionMiddleware`.
   */
  renew(auth: RequestAuth, headers: AuthHeaders): null | Promise<readonly string[]>
  /** Handles requests to routes under `basePath`. API errors become responses; only unexpected errors are thrown. */
  handler(request: Request, from?: RequestOrigin): Promise<Response>
  /**
   * Attaches an app to this auth instance and returns a function that detaches it. `createSessionMiddleware` attaches
   * the app, and closing the app detaches it. Detaching the last app waits for pending emails.
   */
  join(host: SessionHost): () => Promise<void>
  /** Closes the database if `createAuth` opened it. */
  close(): Promise<void>
}
