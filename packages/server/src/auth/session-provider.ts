import type { MaybePromise } from '../platform/and-then.ts'
import type { User, RequestAuth } from './identity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log/log.ts'

/**
 * Who is calling? Null when nobody is signed in; throws `SERVICE_UNAVAILABLE` when that cannot be found out. It answers
 * at once where it knows: a promise costs every request a turn of its own.
 */
export type Authenticate = (headers: { get(name: string): string | null }) => MaybePromise<RequestAuth | null>

/** What the app asks of whoever knows its users. */
export interface SessionProvider {
  readonly authenticate: Authenticate
  /**
   * Were these credentials valid a short while ago? Only such are checked while their address is blocked for too many
   * invalid ones, so this must cost nothing. @default no: every caller of a blocked address gets 429
   */
  isKnown?(headers: { get(name: string): string | null }): boolean
  /**
   * The headers that say who calls: a call with none of them is nobody's, and not asked about.
   * @default authorization, cookie and sec-websocket-protocol
   */
  readonly credentials?: readonly string[]
  /**
   * May a page of this origin act with a user's cookie, and open sockets, at a server that was reached as `host`?
   * @default one of the same host
   */
  trusts?(origin: string, host: string | null): boolean
  /** The other origins it trusts: their pages may read answers, too. */
  readonly origins?: readonly string[]
  /**
   * What knows the users. An app may have several session middlewares, if all have the same. @default the middleware
   * itself
   */
  readonly users?: object
  /**
   * Which of these sessions are good still, and until when, in ms since 1970? Asked every half minute for those with
   * open sockets, and when one should have expired. Throws where that cannot be found out: then nobody is sent away.
   */
  getActiveSessions?(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** For tools that act as users, in development only. @default none: nobody can be acted as */
  readonly development?: UserTools | null
  /** An app is there that asks; returns the way to leave, which the app waits for when it closes. */
  join?(host: SessionHost): () => void | Promise<void>
}

/** What tools of development ask of whoever knows the users. It is called by programs: no route leads to it. */
export interface UserTools {
  /** A user by address; null where there is none. */
  findUser(email: string): Promise<User | null>
  /** The newest first; with `search`, those who have it in their name or address. */
  listUsers(filter: { readonly search?: string | undefined; readonly limit: number }): Promise<readonly User[]>
  /** A user without a password, to be acted as. Throws `CONFLICT` where the address is taken. */
  createUser(user: { readonly name: string; readonly email: string }): Promise<User>
  /** A session as real as one after signing in, and a token for it that the app takes; null where there is no such user. */
  openSession(userId: string): Promise<OpenedSession | null>
  /** Ends the session of such a token, everywhere: it is 401 from then on, and open sockets close with 4401. */
  endSession(token: string): Promise<void>
  /** The routes behind the wildcard route of sign-in, for forms. @default not known */
  listRoutes?(): Promise<readonly AuthRouteInfo[]>
}

/** A route of the sign-in, such as `POST /api/auth/sign-in/email`. */
export interface AuthRouteInfo {
  readonly route: string
  readonly description: string | undefined
  /** The JSON Schema of its body; null where it takes none, or says none. */
  readonly body: object | null
  /** The JSON Schema of its query; null as above. */
  readonly query: object | null
}

/** A session that a tool of development opened. */
export interface OpenedSession {
  readonly user: User
  /** For `Authorization: Bearer`, and for sockets. */
  readonly token: string
  readonly expiresAt: string
}

/** An app, as whoever knows its users sees it. */
export interface SessionHost {
  /** What the processes of the app share. */
  readonly engine: Engine
  readonly log: Log
  /** Ends the open sockets of these sessions in this process, with 4401, and forgets those who are away. */
  end(sessionIds: readonly string[]): void
}
