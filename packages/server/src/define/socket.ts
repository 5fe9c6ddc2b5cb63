import type { Peer } from './peer.ts'
import type { Schema, Serialized, HasTypes } from '@sdk/protocol'
import type { JsonLimits } from '../schema/json-bounds.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'

/** What `createSocket` takes. All handlers may be async; they run one at a time, in order, per connection. */
export interface SocketDefinition<In, CallerIn, OutIn, Out, Data = unknown> {
  /** One sentence on what the socket is for. */
  description?: string
  /** Checks what clients send. @default any JSON */
  receive?: Schema<CallerIn, In>
  /** Checks what clients get: `peer.send` and `peer.publish` throw a `TypeError` at what does not fit. @default any JSON */
  send?: Schema<OutIn, Out>
  /** How many values a message may have. @default those of `limits.socket`, or as many as `receive` declares */
  limits?: JsonLimits
  /**
   * A client came. What this returns is `peer.data` from now on, in its type where it stands before the other handlers;
   * undefined changes nothing. An `ApiError` sends the client away: one of 401, 403 or 404 for good.
   */
  open?: (peer: Peer<OutIn>) => Data | Promise<Data>
  /** A client sent a message; it is acknowledged when this has finished. */
  message?: (peer: Peer<OutIn, PeerData<Data>>, message: In) => unknown
  /** The connection of a client that `open` let in is gone; the client itself may come back, and `open` runs again. */
  close?: (peer: Peer<OutIn, PeerData<Data>>) => unknown
}

/** Of an `open` that returns nothing, `peer.data` is what the handlers make of it. */
type PeerData<Data> = [Data] extends [void] ? unknown : Data

/** A socket, reached at `/ws/{name}`. */
export interface Socket<IO> extends HasTypes<IO> {
  readonly kind: 'socket'
  readonly definition: AnySocketDefinition
}

/** A socket without its type parameters. */
export type AnySocket = Socket<unknown>

/** A socket's definition without its type parameters: what the app works with. */
export interface AnySocketDefinition {
  readonly description?: string
  readonly receive?: Schema
  readonly send?: Schema
  readonly limits?: JsonLimits
  readonly open?: (peer: Peer<never, never>) => unknown
  readonly message?: (peer: Peer<never, never>, message: never) => unknown
  readonly close?: (peer: Peer<never, never>) => unknown
}

/**
 * Defines a socket, for messages both ways, and for rooms. `createRouter().socket('/ws/chat', chat)` gives it its path.
 * @example createSocket({ message: (peer, message) => peer.publish('lobby', message) })
 */
export function createSocket<In = unknown, CallerIn = In, OutIn = unknown, Out = OutIn, Data = unknown>(
  definition: SocketDefinition<In, CallerIn, OutIn, Out, Data>,
): Socket<{ send: CallerIn; receive: Serialized<Out> }> {
  const { receive, send } = definition
  assertSchemas('a socket', { receive, send })
  return { kind: 'socket', definition, '~io': undefined as never }
}
