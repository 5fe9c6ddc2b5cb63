import type { RequestAuth, SessionHost, UserTools } from '@sdk/server'

/** The part of a request that says who sends it. */
export interface AuthHeaders {
  get(name: string): string | null
}

/** What the door of a request knows beside it. */
export interface RequestOrigin {
  /** The caller's address, as far as proxies are known; without it only accounts are guarded against guessing, not addresses. */
  readonly address?: string | undefined
}

/** Users, sessions and tokens of one application. */
export interface Auth {
  readonly basePath: string
  /** Further origins whose pages may sign users in. */
  readonly trustedOrigins: readonly string[]
  /** May a page of this origin act with a user's cookie, at a server reached under this host? */
  trusts(origin: string, host: string | null): boolean
  /** Resolves once the database is open and its tables are there; after a failure the next call tries again. */
  ready(): Promise<void>
  /** Creates and extends the tables: additive only, all or nothing, one process at a time. */
  migrate(): Promise<void>
  /** Who sends these headers, by access token or session cookie; throws `SERVICE_UNAVAILABLE` when the database is down. */
  getSession(headers: AuthHeaders): Promise<RequestAuth | null>
  /** The same, but at once where it was found a moment ago. `createSessionMiddleware` asks so. */
  identify(headers: AuthHeaders): RequestAuth | null | Promise<RequestAuth | null>
  /** Were these credentials valid a short while ago? Returns at once, without a check of their signature. */
  isKnown(headers: AuthHeaders): boolean
  /** Which of these sessions are there still, and when each ends, in ms since 1970. */
  getActiveSessions(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** For tools that act as users, such as the workbench; null in production. No route leads to it. */
  readonly development: UserTools | null
  /** Renews the session of a cookie where that is due: gives the cookies to answer with, or null. `createSessionMiddleware` does it. */
  renew(auth: RequestAuth, headers: AuthHeaders): null | Promise<readonly string[]>
  /** Answers the routes below `basePath`; throws only what is no answer. */
  handler(request: Request, from?: RequestOrigin): Promise<Response>
  /**
   * An app knows its callers by this auth; returns the way to leave. `createSessionMiddleware` does it, and an app that
   * closes leaves: the last one waits for the mails on their way.
   */
  join(host: SessionHost): () => Promise<void>
  /** Closes the database, if `createAuth` opened it. */
  close(): Promise<void>
}
