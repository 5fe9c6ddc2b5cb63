import type { Context } from './context.ts'
import type { Middleware } from './router.ts'

/** Who is signed in. */
export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly [extra: string]: unknown
}

/** The caller's identity: what sits in `ctx.auth` and `peer.auth`. */
export interface RequestAuth {
  getUser(): Promise<User>
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: string }
  /** How the caller proved it. */
  readonly via: 'cookie' | 'bearer'
}

/** Who is calling? Null when nobody is signed in; throws `SERVICE_UNAVAILABLE` when that cannot be found out. */
export type Authenticate = (headers: { get(name: string): string | null }) => Promise<RequestAuth | null>

/** A middleware that also tells the app how to know the callers of agents and sockets. */
export interface SessionMiddleware extends Middleware {
  readonly authenticate: Authenticate
}

/** Is it a session middleware? */
export function isSessionMiddleware(middleware: Middleware): middleware is SessionMiddleware {
  return 'authenticate' in middleware && typeof middleware.authenticate === 'function'
}

/** Fills the seat of a context whose route no session middleware guards. */
export async function fillAuth(ctx: Context, authenticate: Authenticate | null): Promise<void> {
  if (authenticate !== null && ctx.auth === null) ctx.auth = await authenticate({ get: (name) => ctx.header(name) })
}
