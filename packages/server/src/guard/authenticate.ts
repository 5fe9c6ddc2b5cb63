import type { Caller, Session } from '../auth/session-provider.ts'
import type { Call } from '../http/call.ts'

/** Asks who is calling; undefined where the call has nothing to say about it. */
export function authenticate(call: Call, session: Session | null): undefined | Caller | Promise<Caller> {
  if (call.auth !== undefined) return call.auth
  if (session === null) return undefined
  const get = (name: string): string | null => call.header(name.toLowerCase())
  const { credentials = CREDENTIALS } = session
  return credentials.some((name) => get(name) !== null) ? session.authenticate({ get }) : undefined
}

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'sec-websocket-protocol']
