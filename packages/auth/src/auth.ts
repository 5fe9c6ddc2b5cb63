import type { RequestAuth, SessionHost, UserTools } from '@sdk/server'

/** The request headers that identify the user. */
export interface AuthHeaders {
  get(name: string): string | null
}

/** The connection details of a request. */
export interface RequestOrigin {
  /** The client's address, as far as proxies are known; without it attempts are limited only per account. */
  readonly address?: string | undefined
}

/** Users, sessions and tokens of one application. */
export interface Auth {
  readonly basePath: string
  /** Further origins whose pages may sign users in. */
  readonly trustedOrigins: readonly string[]
  /** Returns whether a page of this origin may send a user's cookie to a server at this host. */
  trusts(origin: string, host: string | null): boolean
  /** Resolves once the database is open and its tables exist; after a failure the next call tries again. */
  ready(): Promise<void>
  /** Creates and extends the tables: additive only, all or nothing, one process at a time. */
  migrate(): Promise<void>
  /** Returns the session of an access token or cookie; throws `SERVICE_UNAVAILABLE` when the database is down. */
  getSession(headers: AuthHeaders): Promise<RequestAuth | null>
  /** Like `getSession`, but synchronous on a cache hit. `createSessionMiddleware` uses it. */
  identify(headers: AuthHeaders): RequestAuth | null | Promise<RequestAuth | null>
  /** Were these credentials valid recently? Returns synchronously, without checking their signature. */
  isKnown(headers: AuthHeaders): boolean
  /** Returns those of these sessions that still exist, with the time each expires, in ms since 1970. */
  getActiveSessions(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** For tools that act as users, such as the workbench; null in production. No route exposes it. */
  readonly development: UserTools | null
  /** Renews the session of a cookie if due; returns `Set-Cookie` lines, or null. `createSessionMiddleware` calls it. */
  renew(auth: RequestAuth, headers: AuthHeaders): null | Promise<readonly string[]>
  /** Handles the routes below `basePath`. API errors become responses; only unexpected errors are thrown. */
  handler(request: Request, from?: RequestOrigin): Promise<Response>
  /**
   * Attaches an app to this auth; returns a function that detaches it. `createSessionMiddleware` attaches the app, and
   * closing the app detaches it. Detaching the last app waits for pending emails.
   */
  join(host: SessionHost): () => Promise<void>
  /** Closes the database, if `createAuth` opened it. */
  close(): Promise<void>
}
