import type { MaybePromise } from '../platform/and-then.ts'
import type { User, RequestAuth } from './identity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log/log.ts'

/**
 * A function that authenticates a request. It returns null if the caller is not signed in, and throws
 * `SERVICE_UNAVAILABLE` if this cannot be determined. Where possible, it should return a value rather than a promise,
 * since a promise delays every request by a microtask.
 */
export type Authenticate = (
  headers: { get(name: string): string | null },
  /** The path of the request, for credentials that are valid only there. Undefined for a socket. */
  path?: string,
) => MaybePromise<RequestAuth | null>

/** A document that an app serves to every client, including pages of other origins. */
export interface WellKnownDocument {
  /** The path, which starts with `/.well-known/`. */
  readonly path: string
  /** Returns the document, which is sent as JSON. */
  read(this: void, request: Request): MaybePromise<object>
}

/** The interface between the app and an auth implementation. */
export interface SessionProvider {
  readonly authenticate: Authenticate
  /**
   * Returns whether these credentials were valid recently. While an IP address is blocked because of too many invalid
   * credentials, only credentials known to be valid are checked, so this must be cheap.
   * @default false: every caller from a blocked address gets 429
   */
  isKnown?(headers: { get(name: string): string | null }): boolean
  /**
   * The headers that can contain credentials. A request without any of them is anonymous and is not authenticated.
   * @default authorization, cookie and sec-websocket-protocol
   */
  readonly credentials?: readonly string[]
  /**
   * Returns whether pages from this origin may use a user's cookie and open sockets on a server with this `host`.
   * @default only origins with the same host
   */
  trusts?(origin: string, host: string | null): boolean
  /** Additional trusted origins, whose pages may also read responses. */
  readonly origins?: readonly string[]
  /**
   * The auth instance. An app may use several session middlewares if they all have the same instance.
   * @default the middleware itself
   */
  readonly users?: object
  /**
   * Returns the sessions that are still active, with their expiration times in ms since the Unix epoch. Called every 30
   * s for sessions with open sockets, and when a session should have expired. If it throws, no sockets are closed.
   */
  getActiveSessions?(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Returns a user by id, or null if the user was deleted or banned. Used for `ctx.auth` when a run of a durable agent
   * continues without a request. If it returns null, the run is cancelled.
   * @default `ctx.auth.getUser()` rejects in such a run
   */
  getUser?(userId: string): Promise<User | null>
  /**
   * Returns the parameters of the `WWW-Authenticate: Bearer` header of a 401 or 403 response, such as
   * `resource_metadata="…"`, or null if the path needs none.
   * @default none
   */
  challenge?(headers: { get(name: string): string | null }, path: string): string | null
  /** The documents that describe how clients get credentials. @default none */
  readonly wellKnown?: readonly WellKnownDocument[]
  /** The paths that pages of every origin may call, without cookies. @default none */
  readonly openPaths?: ReadonlySet<string>
  /** User management for tools that impersonate users, in development only. @default none: no impersonation */
  readonly development?: UserTools | null
  /** Called when an app starts to use the provider. Returns a function that the app awaits when it closes. */
  join?(host: SessionHost): () => void | Promise<void>
}

/** User management for development tools. No route exposes it. */
export interface UserTools {
  /** Returns the user with this email address, or null if no user has it. */
  findUser(email: string): Promise<User | null>
  /** Returns users, newest first. `search` filters them by name or email address. */
  listUsers(filter: { readonly search?: string | undefined; readonly limit: number }): Promise<readonly User[]>
  /** Creates a user without a password, for impersonation. Throws `CONFLICT` if the email address is taken. */
  createUser(user: { readonly name: string; readonly email: string }): Promise<User>
  /** Opens a session as a sign-in does, with a token that the app accepts. Returns null if the user does not exist. */
  openSession(userId: string): Promise<OpenedSession | null>
  /**
   * Ends the session that a token belongs to, in all processes. Its requests then get 401, and its open sockets close
   * with code 4401.
   */
  endSession(token: string): Promise<void>
  /** Returns the auth routes that the app serves through a wildcard route. @default none */
  listRoutes?(): Promise<readonly AuthRouteInfo[]>
}

/** An auth route, such as `POST /api/auth/sign-in/email`. */
export interface AuthRouteInfo {
  readonly route: string
  readonly description: string | undefined
  /** The JSON Schema of the body, or null if the route has no body or no schema. */
  readonly body: object | null
  /** The JSON Schema of the query, or null if the route has no query or no schema. */
  readonly query: object | null
}

/** A session opened by a development tool. */
export interface OpenedSession {
  readonly user: User
  /** The token for `Authorization: Bearer` and for sockets. */
  readonly token: string
  readonly expiresAt: string
}

/** The part of an app that a session provider uses. */
export interface SessionHost {
  /** The engine shared by the app's processes. */
  readonly engine: Engine
  readonly log: Log
  /**
   * Closes these sessions' open sockets in this process with code 4401, and discards their disconnected clients.
   */
  end(sessionIds: readonly string[]): void
  /** Evaluates the access of these users to live data again, in this process. */
  recheck?(this: void, userIds: readonly string[]): void
  /** Deletes the runs of a deleted user. */
  deleteRuns?(this: void, userId: string): Promise<void>
}
