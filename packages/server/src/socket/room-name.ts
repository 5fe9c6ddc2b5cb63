import { httpError } from '../http/http-error.ts'

/** Matches the names of the streams that the server itself uses, such as those of live data and presence. */
const RESERVED_NAME = /^sdk(?::| presence )/

/**
 * Throws if a room name is missing, because the message would be silently lost, or if it is reserved. Clients often
 * choose the name, and as members of the server's own streams they would receive and forge its messages.
 */
export function assertRoomName(name: string): string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`a room must have a name, got ${JSON.stringify(name)}`)
  if (!RESERVED_NAME.test(name)) return name
  throw httpError('FORBIDDEN', 'room names that begin with "sdk:" or "sdk presence " are reserved')
}
