import { CLOSE, type AfterClose, type ApiError } from '@sdk/protocol'

/** A way in which a connection can end. */
export interface ConnectionEnd {
  /** The close code; 1006 if no close frame was exchanged. */
  readonly code: number
  /** The client's next step: the result of the protocol's `afterClose` for this code. */
  readonly client: AfterClose
  /** The reason in the close frame, unless the caller passes a more specific one. */
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
 * All ways in which a connection can end. Each comment states the caller that ends the connection, followed by the
 * cause. A restart is first announced with `requestReconnect()`, which does not end the connection itself.
 */
export const END: Readonly<Record<EndName, ConnectionEnd>> = {
  /** `peer.close()`: the app closes the connection. */
  finish: toEnd(CLOSE.finished, 'finish'),
  /** `AuthenticatedConnections`: the user's session ended or expired. */
  signOut: { ...toEnd(CLOSE.unauthorized, 'refresh'), keepsSession: false },
  /** `Rooms.disconnect()`: every client in a room is disconnected. */
  disconnect: toEnd(CLOSE.forbidden, 'stop'),
  /** `Sessions.use()`: the app was replaced by one that does not have this socket. */
  removeSocket: toEnd(CLOSE.notFound, 'stop', 'the socket no longer exists'),
  /** `Session.replace()`: the same client has connected again. */
  replace: toEnd(CLOSE.replaced, 'stop', 'the client has a newer connection'),
  /** `Session.handOver()`: the client connected to another process. It must reconnect if that connection fails. */
  handOver: toEnd(CLOSE.restart, 'retry', 'the client has a newer connection'),
  /** `drainSockets()` and `Sessions.close()`: this process is stopping. */
  restart: toEnd(CLOSE.restart, 'retry', 'restart'),
  /** `tick()`, and gaps that a raw client cannot recover from: the client reads too slowly, or not at all. */
  slowConsumer: toEnd(CLOSE.slowConsumer, 'retry', 'the client reads too slowly'),
  /** `RawConnection`: the client exceeded the rate limit for too long. */
  tooManyMessages: toEnd(CLOSE.tooMany, 'retry-later', 'too many messages'),
  /** `SdkConnection.tick()`: the client did not send `hi` in time. */
  helloTimeout: toEnd(CLOSE.timeout, 'retry-later', 'no hello frame received in time'),
  /** `SdkConnection`: the `hi` is larger than allowed. */
  helloTooLarge: toEnd(CLOSE.tooLarge, 'retry-later', 'the hello frame is too large'),
  /** `SdkConnection`: the client sent a second `hi`. */
  helloRepeated: toEnd(CLOSE.badProtocol, 'stop', 'duplicate hello frame'),
  /** `SdkConnection`: the client sent too many frames before the `ok`. */
  tooEarly: toEnd(CLOSE.badProtocol, 'stop', 'too many frames before the ok frame'),
  /** `SdkConnection`: the client sent an invalid frame, or a message before its `hi`. */
  badFrame: toEnd(CLOSE.badProtocol, 'stop', 'invalid frame'),
  /** `node/socket-handshake` and other adapters: the client sent a binary message. */
  binary: toEnd(CLOSE.badProtocol, 'stop', 'messages must be text'),
  /** `Inbox.receive()`: the client skipped a message number. */
  missingMessage: toEnd(CLOSE.badProtocol, 'stop'),
  /** `SdkConnection`: the session could not be resumed or created. */
  setupFailed: toEnd(CLOSE.setupFailed, 'retry', 'setup failed'),
  /** The network failed, or `tick()` called `transport.terminate()` because the client was silent. */
  lost: toEnd(1006, 'retry'),
}

const REFUSALS: ReadonlyMap<number, readonly [code: number, client: AfterClose]> = new Map([
  [401, [CLOSE.unauthorized, 'refresh']],
  [403, [CLOSE.forbidden, 'stop']],
  [404, [CLOSE.notFound, 'stop']],
  [429, [CLOSE.tooMany, 'retry-later']],
  [503, [CLOSE.unavailable, 'retry']],
])

/** Returns how a connection ends if the handshake or the socket's `open` rejects it with this error. */
export function toRefusal({ status, code, message }: ApiError): ConnectionEnd {
  const [closeCode, client] = REFUSALS.get(status) ?? [CLOSE.setupFailed, 'retry']
  return toEnd(closeCode, client, `${code}: ${message}`)
}

function toEnd(code: number, client: AfterClose, reason = ''): ConnectionEnd {
  return { code, client, reason, keepsSession: true }
}
