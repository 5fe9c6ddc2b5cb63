import type { HasTypes } from '@sdk/protocol'
import type { Presence } from '../engine/list-presence.ts'
import type { ResourceTypes } from './rows.ts'

/** An agent as `ctx.call` takes it: its name and its types. Every `Agent` is one. */
export interface AgentRef<IO = unknown> extends HasTypes<IO> {
  readonly kind: 'agent'
  readonly name: string
}

/** A resource as `ctx.rows` takes it: its name and its types. Every `Resource` is one. */
export interface ResourceRef<Types extends ResourceTypes = ResourceTypes> {
  readonly kind: 'resource'
  readonly name: string
  readonly '~types': Types
}

/** Publishing to rooms and listing their members, across all processes. */
export interface RoomAccess {
  publish(room: string, message: unknown): Promise<void>
  disconnect(room: string, reason?: string): Promise<void>
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
}
