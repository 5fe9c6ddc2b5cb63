import { JSON_LIMITS, type JsonLimits } from '../schema/json-bounds.ts'

/** What a socket's clients may do, and how patient the server is with them; times in ms, sizes in bytes. */
export interface SocketLimits extends JsonLimits {
  /** A message. @default 1 MiB */
  readonly payload?: number
  /** The first frame, `hi`, with the places in all rooms. @default 64 KiB */
  readonly hello?: number
  /** How long a client may take to say `hi`. @default 5 000 */
  readonly helloTimeout?: number
  /**
   * Messages a second, and at once, per connection. Its bytes a second are those of the largest message, or 1 MiB, and four
   * times that at once. `false`: as many as come. @default { perSecond: 50, burst: 100 }
   */
  readonly rate?: { readonly perSecond: number; readonly burst: number } | false
  /** A raw client that is over the rate for so long is sent away. @default 10 000 */
  readonly abuse?: number
  /** Open connections of one user, within a process. @default 20 */
  readonly perUser?: number
  /** Open connections from one address, within a process. @default 50 */
  readonly perAddress?: number
  /** Messages that wait for their handler before nothing more is read. @default 64 */
  readonly inbox?: number
  /** Their bytes. @default 1 MiB */
  readonly inboxBytes?: number
  /** Messages a client may have on their way. @default 256 */
  readonly window?: number
  /** Bytes that wait for a slow client, before it is only sent what it can take. @default 1 MiB */
  readonly buffer?: number
  /** A client that takes nothing for so long is sent away. @default 15 000 */
  readonly slow?: number
  /** Messages to one client that are kept until it has them. @default 256 */
  readonly replayMessages?: number
  /** For how long. @default 120 000 */
  readonly replayTtl?: number
  /** Their bytes. @default 1 MiB */
  readonly replayBytes?: number
  /** Bytes of all those messages of all clients. @default 64 MiB */
  readonly replayTotalBytes?: number
  /** Rooms that one client is in. @default 200 */
  readonly rooms?: number
  /** Characters of a room's name. @default 256 */
  readonly roomName?: number
  /** Characters of the `presence` that a client joins a room with, as JSON. @default 4 096 */
  readonly presence?: number
  /** How often a client hears of us when there is nothing to say. @default 20 000 */
  readonly heartbeat?: number
  /** A client that says nothing for so long is gone. @default 45 000 */
  readonly silence?: number
  /** How often is asked whether the users of open connections are still signed in. @default 30 000 */
  readonly signInCheck?: number
  /** A receipt is sent so long after the handler has finished. @default 20 */
  readonly ackDelay?: number
  /** Or after so many messages. @default 32 */
  readonly ackEvery?: number
  /** Over how long clients come back that lost their connection together. @default 2 000 */
  readonly spread?: number
}

const MIB = 1_048_576

/** The limits where the app sets none. */
export const SOCKET_LIMITS: Required<SocketLimits> = {
  ...JSON_LIMITS,
  payload: MIB,
  hello: 65_536,
  helloTimeout: 5_000,
  rate: { perSecond: 50, burst: 100 },
  abuse: 10_000,
  perUser: 20,
  perAddress: 50,
  inbox: 64,
  inboxBytes: MIB,
  window: 256,
  buffer: MIB,
  slow: 15_000,
  replayMessages: 256,
  replayTtl: 120_000,
  replayBytes: MIB,
  replayTotalBytes: 64 * MIB,
  rooms: 200,
  roomName: 256,
  presence: 4_096,
  heartbeat: 20_000,
  silence: 45_000,
  signInCheck: 30_000,
  ackDelay: 20,
  ackEvery: 32,
  spread: 2_000,
}
