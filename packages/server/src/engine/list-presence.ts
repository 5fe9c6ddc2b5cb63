import type { Engine, EngineMember } from './engine.ts'

/** A member of a room. */
export interface Presence<Data = unknown> {
  /** The peer's id. */
  readonly id: string
  /** The `presence` that the peer joined with; null by default. */
  readonly data: Data
}

/** Returns the members of a room, across all processes. The type of their data is not checked. */
export async function listPresence<Data>(engine: Engine, room: string): Promise<Presence<Data>[]> {
  return toPresence(await engine.presence.list(room)) as Presence<Data>[]
}

/** Converts room members to the form that handlers receive. */
export function toPresence(members: readonly EngineMember[]): Presence[] {
  // A client that has just moved to another process may briefly be a member in both processes.
  const byId = new Map(members.map(({ id, data }) => [id.split('.', 1)[0] ?? '', data]))
  return Array.from(byId, ([id, data]) => ({ id, data: JSON.parse(data) as unknown }))
}
