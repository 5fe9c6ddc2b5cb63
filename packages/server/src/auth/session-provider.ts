import type { MaybePromise } from '../platform/and-then.ts'
import type { User, RequestAuth } from './identity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log/log.ts'

/**
 * Authenticates a request. Returns null if the caller is not signed in, and throws `SERVICE_UNAVAILABLE` if that cannot
 * be determined. Returns a value instead of a promise if possible: a promise delays every request by a microtask.
 */
export type Authenticate = (headers: { get(name: string): string | null }) => MaybePromise<RequestAuth | null>

/** The interface between the app and an auth implementation. */
export interface SessionProvider {
  readonly authenticate: Authenticate
  /**
   * Whether these credentials were valid recently. While an IP address is blocked for too many invalid credentials,
   * only known ones are checked, so this must be cheap. @default false: every caller of a blocked address gets 429
   */
  isKnown?(headers: { get(name: string): string | null }): boolean
  /**
   * The headers that contain credentials: a request without any of them is anonymous and is not authenticated.
   * @default authorization, cookie and sec-websocket-protocol
   */
  readonly credentials?: readonly string[]
  /**
   * Whether pages of this origin may use a user's cookie and open sockets on a server with this `host`.
   * @default only origins of the same host
   */
  trusts?(origin: string, host: string | null): boolean
  /** Other trusted origins, whose pages may also read responses. */
  readonly origins?: readonly string[]
  /**
   * The auth instance. An app may use several session middlewares if all have the same instance.
   * @default the middleware itself
   */
  readonly users?: object
  /**
   * Returns the sessions that are still active, with their expiry in ms since 1970. Called every 30 s for sessions with
   * open sockets, and when a session should have expired. If it throws, no socket is closed.
   */
  getActiveSessions?(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** User management for tools that impersonate users, in development only. @default none: no impersonation */
  readonly development?: UserTools | null
  /** Called when an app starts to use the provider. Returns a function that the app awaits when it closes. */
  join?(host: SessionHost): () => void | Promise<void>
}

/** User management for development tools. It is not exposed by any route. */
export interface UserTools {
  /** Returns a user by email address, or null if not found. */
  findUser(email: string): Promise<User | null>
  /** Returns users, the newest first; `search` filters by name or email address. */
  listUsers(filter: { readonly search?: string | undefined; readonly limit: number }): Promise<readonly User[]>
  /** Creates a user without a password, for impersonation. Throws `CONFLICT` if the email address is taken. */
  createUser(user: { readonly name: string; readonly email: string }): Promise<User>
  /** Opens a session as a sign-in does, with a token that the app accepts; null if the user does not exist. */
  openSession(userId: string): Promise<OpenedSession | null>
  /** Ends the session of a token in all processes: requests then get 401, and open sockets close with 4401. */
  endSession(token: string): Promise<void>
  /** Returns the routes behind the wildcard route of the auth endpoints. @default unknown */
  listRoutes?(): Promise<readonly AuthRouteInfo[]>
}

/** An auth route, such as `POST /api/auth/sign-in/email`. */
export interface AuthRouteInfo {
  readonly route: string
  readonly description: string | undefined
  /** The JSON Schema of its body; null if it has no body or no schema. */
  readonly body: object | null
  /** The JSON Schema of its query; null if it has no query or no schema. */
  readonly query: object | null
}

/** A session opened by a development tool. */
export interface OpenedSession {
  readonly user: User
  /** The token for `Authorization: Bearer` and for sockets. */
  readonly token: string
  readonly expiresAt: string
}

/** The app's interface for a session provider. */
export interface SessionHost {
  /** The engine shared by the processes of the app. */
  readonly engine: Engine
  readonly log: Log
  /** Closes the open sockets of these sessions in this process with 4401, and discards their disconnected clients. */
  end(sessionIds: readonly string[]): void
}
