import { CLOSE, type AfterClose, type ApiError } from '@sdk/protocol'

/** One way in which a connection ends. */
export interface ConnectionEnd {
  /** The close code; 1006 if no close frame was exchanged. */
  readonly code: number
  /** The client's next step: the result of the protocol's `afterClose` for this code. */
  readonly client: AfterClose
  /** The reason in the close frame, unless the caller has a more specific one. */
  readonly reason: string
  /** Whether the session is kept for a client that reconnects. */
  readonly keepsSession: boolean
}

type EndName =
  | 'finish'
  | 'signOut'
  | 'disconnect'
  | 'removeSocket'
  | 'replace'
  | 'handOver'
  | 'restart'
  | 'slowConsumer'
  | 'tooManyMessages'
  | 'helloTimeout'
  | 'helloTooLarge'
  | 'helloRepeated'
  | 'tooEarly'
  | 'badFrame'
  | 'binary'
  | 'missingMessage'
  | 'setupFailed'
  | 'lost'

/**
 * All ways to end a connection: the caller, the close code, and whether the client reconnects. A restart is announced
 * first, by `requestReconnect()`, which does not end the connection itself.
 */
export const END: Readonly<Record<EndName, ConnectionEnd>> = {
  /** `peer.close()` of the app. */
  finish: toEnd(CLOSE.finished, 'finish'),
  /** `AuthenticatedConnections`: the user's session ended or expired. */
  signOut: { ...toEnd(CLOSE.unauthorized, 'refresh'), keepsSession: false },
  /** `Rooms.disconnect()`: every client in a room is disconnected. */
  disconnect: toEnd(CLOSE.forbidden, 'stop'),
  /** `Sessions.use()`: the app that replaced the old one has no such socket. */
  removeSocket: toEnd(CLOSE.notFound, 'stop', 'the socket no longer exists'),
  /** `Session.replace()`: the same client has connected again. */
  replace: toEnd(CLOSE.replaced, 'stop', 'the client has a newer connection'),
  /** `Session.handOver()`: the client is in another process. If it gave up on that process, it must reconnect. */
  handOver: toEnd(CLOSE.restart, 'retry', 'the client has a newer connection'),
  /** `drainSockets()` and `Sessions.close()`: this process is stopping. */
  restart: toEnd(CLOSE.restart, 'retry', 'restart'),
  /** `tick()`, and gaps that a raw client cannot recover from: the client does not read its messages. */
  slowConsumer: toEnd(CLOSE.slowConsumer, 'retry', 'too slow'),
  /** `RawConnection`: over the rate limit for too long. */
  tooManyMessages: toEnd(CLOSE.tooMany, 'retry-later', 'too many messages'),
  /** `SdkConnection.tick()`: no `hi` in time. */
  helloTimeout: toEnd(CLOSE.timeout, 'retry-later', 'no hello frame'),
  /** `SdkConnection`: the `hi` is larger than allowed. */
  helloTooLarge: toEnd(CLOSE.tooLarge, 'retry-later', 'the hello frame is too large'),
  /** `SdkConnection`: a second `hi`. */
  helloRepeated: toEnd(CLOSE.badProtocol, 'stop', 'duplicate hello frame'),
  /** `SdkConnection`: too many frames before the `ok`. */
  tooEarly: toEnd(CLOSE.badProtocol, 'stop', 'too many frames before the ok'),
  /** `SdkConnection`: not a frame, or a message before the `hi`. */
  badFrame: toEnd(CLOSE.badProtocol, 'stop', 'bad frame'),
  /** `node/socket-clients`: a binary message. */
  binary: toEnd(CLOSE.badProtocol, 'stop', 'messages must be text'),
  /** `Inbox.receive()`: a number was skipped. */
  missingMessage: toEnd(CLOSE.badProtocol, 'stop'),
  /** `SdkConnection`: the session could not be resumed or created. */
  setupFailed: toEnd(CLOSE.setupFailed, 'retry', 'setup failed'),
  /** `tick()`, with `transport.terminate()`, when the client is silent; or a network failure. */
  lost: toEnd(1006, 'retry'),
}

const REFUSALS: ReadonlyMap<number, readonly [code: number, client: AfterClose]> = new Map([
  [401, [CLOSE.unauthorized, 'refresh']],
  [403, [CLOSE.forbidden, 'stop']],
  [404, [CLOSE.notFound, 'stop']],
  [429, [CLOSE.tooMany, 'retry-later']],
  [503, [CLOSE.unavailable, 'retry']],
])

/** Returns the end of a connection that was rejected with this error, by the handshake or the socket's `open`. */
export function toRefusal({ status, code, message }: ApiError): ConnectionEnd {
  const [closeCode, client] = REFUSALS.get(status) ?? [CLOSE.setupFailed, 'retry']
  return toEnd(closeCode, client, `${code}: ${message}`)
}

function toEnd(code: number, client: AfterClose, reason = ''): ConnectionEnd {
  return { code, client, reason, keepsSession: true }
}
