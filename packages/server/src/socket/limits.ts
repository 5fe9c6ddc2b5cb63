import { JSON_LIMITS, type JsonLimits } from '../schema/json-bounds.ts'

/** Limits and timeouts for socket clients. Times are in ms, and sizes are in bytes. */
export interface SocketLimits extends JsonLimits {
  /** Maximum size of a message. @default 1 MiB */
  readonly payload?: number
  /** Maximum size of the first frame, `hi`, which contains the client's positions in all rooms. @default 64 KiB */
  readonly hello?: number
  /** Time within which a client must send `hi`. @default 5_000 */
  readonly helloTimeout?: number
  /**
   * Maximum number of messages per second and maximum burst, per connection. The number of bytes per second is limited
   * to `payload` or 1 MiB, whichever is larger, with a burst of four times that number. `false` disables both limits.
   * @default { perSecond: 50, burst: 100 }
   */
  readonly rate?: { readonly perSecond: number; readonly burst: number } | false
  /** Time after which a raw client that keeps exceeding the rate limit is disconnected. @default 10_000 */
  readonly abuse?: number
  /** Maximum number of open connections per user, within a process. @default 20 */
  readonly perUser?: number
  /** Maximum number of open connections per client address, within a process. @default 50 */
  readonly perAddress?: number
  /** Number of queued messages above which the server stops reading from a client. @default 64 */
  readonly inbox?: number
  /** Total size of the queued messages above which the server stops reading from a client. @default 1 MiB */
  readonly inboxBytes?: number
  /** Maximum number of unacknowledged messages from a client. @default 256 */
  readonly window?: number
  /** Size of a client's send buffer above which the server stops sending until the buffer drains. @default 1 MiB */
  readonly buffer?: number
  /** Time after which a client that reads nothing is disconnected. @default 15_000 */
  readonly slow?: number
  /** Maximum number of messages kept for a client until it acknowledges them. @default 256 */
  readonly replayMessages?: number
  /** Time for which unacknowledged messages to a client are kept. @default 120_000 */
  readonly replayTtl?: number
  /** Maximum total size of the messages kept for a client. @default 1 MiB */
  readonly replayBytes?: number
  /** Maximum total size of the messages kept for all clients. @default 64 MiB */
  readonly replayTotalBytes?: number
  /** Maximum number of rooms per client. @default 200 */
  readonly rooms?: number
  /** Maximum length of a room name, in characters. @default 256 */
  readonly roomName?: number
  /** Maximum length of a client's `presence` in a room, serialized as JSON, in characters. @default 4_096 */
  readonly presence?: number
  /** Interval between heartbeats. @default 20_000 */
  readonly heartbeat?: number
  /** Time after which a silent client counts as disconnected. @default 45_000 */
  readonly silence?: number
  /** Interval at which the server checks that the users of open connections are still signed in. @default 30_000 */
  readonly signInCheck?: number
  /** Maximum time between the end of a handler and the ack for its message. @default 20 */
  readonly ackDelay?: number
  /** Number of handled messages after which an ack is sent without delay. @default 32 */
  readonly ackEvery?: number
  /** Period over which clients that lose their connections at the same time spread their reconnects. @default 2_000 */
  readonly spread?: number
}

const MIB = 1_048_576

/** The default limits. */
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
