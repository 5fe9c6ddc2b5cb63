import { authenticate } from './authenticate.ts'
import type { Middleware } from '../define/middleware.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { codeOfStatus, type ApiError, fromSubprotocols } from '@sdk/protocol'
import type { Session } from '../auth/session-provider.ts'
import { CallContext, type ContextServices } from '../context/context.ts'
import type { SocketLimits } from '../socket/limits.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { SocketWatch } from '../observe/call-observer.ts'
import type { Call, Reply } from '../http/call.ts'
import { chainAt, runChain, type InFront } from '../endpoint/middleware-chain.ts'
import type { OriginRules } from './origin.ts'
import type { Counted, Limiter } from './rate-limit.ts'
import { refuse } from '../http/http-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import { createSeats } from './connection-limit.ts'
import { parseQuery, parseTarget } from '../http/url.ts'

/** What a door needs to open a socket. */
export interface SocketAdmission {
  readonly path: string
  readonly socket: AnySocketDefinition
  readonly auth: RequestAuth | null
  /** The query of the address that the client connected to. */
  readonly query: Readonly<Record<string, string>>
  /** Who watches the connection, in development. */
  readonly watch?: SocketWatch
  /** Counts the connection, or throws where its user or address has too many; gives how to tell that it has ended. */
  enter(): () => void
}

/** Who is let in. */
export interface AdmissionRules {
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly middleware: readonly InFront[]
  readonly services: ContextServices
  readonly limits: Pick<Required<SocketLimits>, 'perAddress' | 'perUser'>
  readonly origins: OriginRules
  readonly session: Session | null
  readonly limiter: Limiter
  countedAs(call: Call, auth: RequestAuth | null): Counted
}

/** Lets a client in to a socket, or throws the `ApiError` to answer with. */
export type Admit = (call: Call) => Promise<SocketAdmission>

/** Decides who may open a socket; the cheapest checks come first. */
export function createAdmission(rules: AdmissionRules): Admit {
  const { sockets, origins, session, limiter, countedAs } = rules
  const seats = createSeats(rules.limits)
  const chains = new Map(Array.from(sockets.keys(), (path) => [path, chainAt(path, rules.middleware)]))

  return async (call) => {
    const target = parseTarget(call.target)
    const { path } = target
    const socket = sockets.get(path)
    if (socket === undefined) throw refuse('NOT_FOUND', `there is no socket at ${path}`)
    if (!origins.isOwn(call)) throw refuse('FORBIDDEN', 'sockets are not open to pages of another origin')
    const { address } = countedAs(call, null)
    const refusal = limiter.refusalOf(address)
    if (refusal !== null) throw refusal
    seats.assertFree(address, null)
    const auth = await identify(call)
    const counted = countedAs(call, auth)
    const ctx = new CallContext(call, path, rules.services)
    const { caller, peer } = counted
    Object.assign(ctx, { requestId: requestIdOf(call), caller, address: peer, auth, path, search: target.search })
    await pass(ctx, chains.get(path) ?? [])
    const query = parseQuery(target.search)
    return {
      path,
      socket,
      auth: ctx.auth,
      query,
      enter: () => seats.take(countedAs(call, ctx.auth), ctx.auth !== null),
    }
  }

  /** Who is calling, and may they call once more? */
  async function identify(call: Call): Promise<RequestAuth | null> {
    const asked = authenticate(call, session)
    const auth = (await asked) ?? null
    const set = limiter.policiesOf('socket')
    const counted = countedAs(call, auth)
    const taken = set === null ? null : await limiter.take(set, counted)
    if (taken !== null && taken.error !== null) {
      if (auth === null && asked !== undefined) limiter.remember(counted.address, taken.error)
      throw taken.error
    }
    // A client with a token means to be signed in. Let in as nobody, it would never learn that its token is not valid.
    if (auth === null && session !== null && hasToken(call)) throw refuse('UNAUTHORIZED', 'the token is not valid')
    return auth
  }
}

function hasToken(call: Call): boolean {
  return fromSubprotocols(call.header('sec-websocket-protocol')).token !== null
}

/** What the last `next()` answers: come in. */
const LET_IN = 101

async function pass(ctx: CallContext, chain: readonly Middleware[]): Promise<void> {
  if (chain.length === 0) return
  const reply = await runChain(ctx, chain, (): Reply => ({ status: LET_IN, headers: {}, body: null }))
  if (reply.status !== LET_IN) throw refusedWith(reply.status)
}

/** The error where a middleware answered itself: of its status, or 403 where that is no error. */
function refusedWith(status: number): ApiError {
  const known = status >= 400 ? status : 403
  return refuse(codeOfStatus(known) as 'FORBIDDEN', 'this socket is not open to you', { status: known })
}
