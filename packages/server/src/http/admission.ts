import { authenticate, type RequestAuth, type Session } from '../auth-seat.ts'
import type { Call } from './call.ts'
import type { OriginRules } from './origin.ts'
import type { Counted, Limiter } from './rate-limit.ts'
import { refuse } from './refusal.ts'
import type { AnySocketDefinition } from '../socket/socket.ts'
import { parseTarget } from './url.ts'

/** What a door needs to open a socket. */
export interface SocketAdmission {
  readonly path: string
  readonly socket: AnySocketDefinition
  readonly auth: RequestAuth | null
}

/** Who is let in. */
export interface AdmissionRules {
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly origins: OriginRules
  readonly session: Session | null
  readonly limiter: Limiter
  countedAs(call: Call, auth: RequestAuth | null): Counted
}

/** Lets a client in to a socket, or throws the `ApiError` to answer with. */
export async function admit(call: Call, rules: AdmissionRules): Promise<SocketAdmission> {
  const { sockets, origins, session, limiter } = rules
  const { path } = parseTarget(call.target)
  const socket = sockets.get(path)
  if (socket === undefined) throw refuse('NOT_FOUND', `there is no socket at ${path}`)
  if (!origins.isOwn(call)) throw refuse('FORBIDDEN', 'sockets are not open to pages of another origin')
  const refusal = limiter.refusalOf(rules.countedAs(call, null).address)
  if (refusal !== null) throw refusal
  const auth = await authenticate(call, session)
  const set = limiter.policiesOf('socket')
  const taken = set === null ? null : await limiter.take(set, rules.countedAs(call, auth))
  if (taken !== null && taken.error !== null) throw taken.error
  return { path, socket, auth }
}
