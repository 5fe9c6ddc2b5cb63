import { authenticate, hasKnownCredentials } from './authenticate.ts'
import type { Middleware } from '../define/middleware.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { codeOfStatus, fromSubprotocols } from '@sdk/protocol'
import type { SessionProvider } from '../auth/session-provider.ts'
import { RequestContext, type ContextServices } from '../context/context.ts'
import type { SocketLimits } from '../socket/limits.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { SocketObserver } from '../observe/request-observer.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import { findMiddleware, runMiddleware, type MiddlewareEntry } from '../endpoint/middleware-chain.ts'
import type { ProcessPool } from '../platform/process-pool.ts'
import type { OriginRules } from './origin.ts'
import type { RateLimitKeys, RateLimiter } from './rate-limit.ts'
import { httpError } from '../http/http-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import { parseQuery, parseTarget } from '../http/url.ts'

/** The data that an adapter needs to open a socket. */
export interface SocketAdmission {
  readonly path: string
  readonly socket: AnySocketDefinition
  readonly auth: RequestAuth | null
  /** The query of the URL that the client connected to. */
  readonly query: Readonly<Record<string, string>>
  /** The request of the handshake. Only set if the socket needs it. */
  readonly incoming?: ServerRequest
  /** The observer of the connection. Only set in development. */
  readonly observer?: SocketObserver
  /**
   * Counts the connection. Throws if its user or address has reached the limit. Returns a function that releases the
   * connection.
   */
  enter(): () => void
}

/** The checks shared by requests and sockets. */
export interface Guards {
  readonly services: ContextServices
  readonly origins: OriginRules
  readonly session: SessionProvider | null
  readonly limiter: RateLimiter
  toRateLimitKeys(call: ServerRequest, auth: RequestAuth | null): RateLimitKeys
}

interface AdmissionRules extends Guards {
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly middleware: readonly MiddlewareEntry[]
  readonly limits: ConnectionLimits
  /** @default no other processes */
  readonly pool?: ProcessPool | undefined
}

type ConnectionLimits = Pick<Required<SocketLimits>, 'perAddress' | 'perUser'>

/** A function that admits a client to a socket, or throws the `ApiError` to respond with. */
export type Admit = (call: ServerRequest) => Promise<SocketAdmission>

/** Creates the function that admits socket clients. The cheapest checks run first. */
export function createAdmission(rules: AdmissionRules): Admit {
  const { sockets, origins, session, limiter, toRateLimitKeys } = rules
  const connections = new ConnectionLimiter(rules.limits, rules.pool?.connections)
  const chains = new Map(Array.from(sockets.keys(), (path) => [path, findMiddleware(path, rules.middleware)]))

  return async (call) => {
    const { path, search } = parseTarget(call.target)
    const socket = sockets.get(path)
    if (socket === undefined) throw httpError('NOT_FOUND', `no socket matches ${path}`)
    if (!origins.isTrusted(call)) throw httpError('FORBIDDEN', 'connections from other origins are not allowed')
    const { networkKey: address } = toRateLimitKeys(call, null)
    const refusal = limiter.findBlock(address)
    if (refusal !== null && !hasKnownCredentials(call, session)) throw refusal
    connections.assertAvailable(address, null)
    const auth = await identify(call)
    const { rateLimitKey, address: peer } = toRateLimitKeys(call, auth)
    const ctx = new RequestContext(call, path, rules.services)
    Object.assign(ctx, { requestId: requestIdOf(call), rateLimitKey, address: peer, auth, path, search })
    await runAdmissionMiddleware(ctx, chains.get(path) ?? [])
    const enter = (): (() => void) => connections.acquire(toRateLimitKeys(call, ctx.auth), ctx.auth !== null)
    const kept = socket.keepsRequest === true && { incoming: call }
    return { path, socket, auth: ctx.auth, query: parseQuery(search), enter, ...kept }
  }

  async function identify(call: ServerRequest): Promise<RequestAuth | null> {
    const asked = authenticate(call, session)
    const auth = (await asked) ?? null
    const set = limiter.policiesOf('socket')
    const counted = toRateLimitKeys(call, auth)
    const taken = set === null ? null : await limiter.take(set, counted)
    if (taken !== null && taken.error !== null) {
      if (auth === null && asked !== undefined) limiter.block(counted.networkKey, taken.error)
      throw taken.error
    }
    // A client with a token expects to be signed in. If it were admitted anonymously, it would not be notified that the
    // token is invalid.
    if (auth === null && session !== null && fromSubprotocols(call.header('sec-websocket-protocol')).token !== null)
      throw httpError('UNAUTHORIZED', 'the token is invalid')
    return auth
  }
}

/** A limiter for the number of open connections per address and per user. */
class ConnectionLimiter {
  readonly #limits: ConnectionLimits
  readonly #others: ProcessPool['connections'] | undefined
  readonly #taken = new Map<string, number>()

  constructor(limits: ConnectionLimits, others: ProcessPool['connections'] | undefined) {
    this.#limits = limits
    this.#others = others
  }

  /** Throws if an address or a user is at its connection limit. `user` is null if the client is not signed in. */
  assertAvailable(address: string, user: string | null): void {
    this.#assertBelow(address, this.#limits.perAddress)
    if (user !== null) this.#assertBelow(user, this.#limits.perUser)
  }

  /** Counts a connection. Throws if a limit is reached. Returns a function that releases the connection. */
  acquire({ networkKey: address, rateLimitKey }: RateLimitKeys, isUser: boolean): () => void {
    this.assertAvailable(address, isUser ? rateLimitKey : null)
    const keys = isUser ? [address, rateLimitKey] : [address]
    for (const key of keys) this.#add(key, 1)
    return () => {
      for (const key of keys.splice(0)) this.#add(key, -1)
    }
  }

  #assertBelow(key: string, limit: number): void {
    if ((this.#taken.get(key) ?? 0) + (this.#others?.count(key) ?? 0) < limit) return
    throw httpError('TOO_MANY_REQUESTS', `too many open connections (limit ${limit})`, { retryAfter: 5 })
  }

  #add(key: string, difference: 1 | -1): void {
    const count = (this.#taken.get(key) ?? 0) + difference
    if (count === 0) this.#taken.delete(key)
    else this.#taken.set(key, count)
    this.#others?.add(key, difference)
  }
}

async function runAdmissionMiddleware(ctx: RequestContext, chain: readonly Middleware[]): Promise<void> {
  if (chain.length === 0) return
  const admitted: Reply = { status: 101, headers: {}, body: null }
  const reply = await runMiddleware(ctx, chain, () => admitted)
  if (reply.status === admitted.status) return
  // A middleware replied instead of calling `next()`. A non-error status becomes 403.
  const status = reply.status >= 400 ? reply.status : 403
  throw httpError(codeOfStatus(status) as 'FORBIDDEN', 'access to this socket is denied', { status })
}
