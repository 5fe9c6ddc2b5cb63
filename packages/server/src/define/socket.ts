import type { Peer } from './peer.ts'
import type { Schema, Serialized, HasTypes } from '@sdk/protocol'
import type { JsonLimits } from '../schema/json-bounds.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'

/** Options for `createSocket`. Handlers may be async. The handlers for a connection run one at a time, in order. */
export interface SocketDefinition<In, CallerIn, OutIn, Out, Data = unknown> {
  /** A one-sentence description of the socket. */
  description?: string
  /** The schema that validates messages from clients. @default any JSON */
  receive?: Schema<CallerIn, In>
  /**
   * The schema that validates messages to clients. `peer.send` and `peer.publish` throw a `TypeError` for invalid
   * messages.
   * @default any JSON
   */
  send?: Schema<OutIn, Out>
  /**
   * Limits on the JSON values in a message.
   * @default the limits in `limits.socket`, raised to the size that `receive` declares
   */
  limits?: JsonLimits
  /**
   * Called when a client connects. The return value becomes `peer.data`; undefined leaves it unchanged. The type of
   * `peer.data` is inferred if `open` is declared before the other handlers. Throwing an `ApiError` rejects the client,
   * permanently if the status is 401, 403 or 404.
   */
  open?: (peer: Peer<OutIn>) => Data | Promise<Data>
  /** Called for each message from a client. The message is acknowledged when the handler has finished. */
  message?: (peer: Peer<OutIn, PeerData<Data>>, message: In) => unknown
  /** Called when a client accepted by `open` disconnects. The client may reconnect; `open` then runs again. */
  close?: (peer: Peer<OutIn, PeerData<Data>>) => unknown
}

/** The type of `peer.data`, which is unknown if `open` returns nothing. */
type PeerData<Data> = [Data] extends [void] ? unknown : Data

/** A socket, served at `/ws/{name}`. */
export interface Socket<IO> extends HasTypes<IO> {
  readonly kind: 'socket'
  readonly definition: AnySocketDefinition
}

/** A socket without its type parameters. */
export type AnySocket = Socket<unknown>

/** A socket definition without its type parameters, used internally. */
export interface AnySocketDefinition {
  readonly description?: string
  readonly receive?: Schema
  readonly send?: Schema
  readonly limits?: JsonLimits
  readonly open?: (peer: Peer<never, never>) => unknown
  readonly message?: (peer: Peer<never, never>, message: never) => unknown
  readonly close?: (peer: Peer<never, never>) => unknown
  /** Called when a client that was too slow can receive messages again. Only for the app's own sockets. */
  readonly drain?: (peer: Peer<never, never>) => unknown
  /** Whether `peer.incoming` is the request of the handshake. Only for the app's own sockets. @default false */
  readonly keepsRequest?: boolean
}

/**
 * Defines a socket for bidirectional messages and rooms. `createRouter().socket('/ws/chat', chat)` sets its path.
 * @example createSocket({ message: (peer, message) => peer.publish('lobby', message) })
 */
export function createSocket<In = unknown, CallerIn = In, OutIn = unknown, Out = OutIn, Data = unknown>(
  definition: SocketDefinition<In, CallerIn, OutIn, Out, Data>,
): Socket<{ send: CallerIn; receive: Serialized<Out> }> {
  const { receive, send } = definition
  assertSchemas('a socket', { receive, send })
  return { kind: 'socket', definition, '~io': undefined as never }
}
