import type { Engine, EngineMember } from './engine.ts'

/** Somebody who is in a room. */
export interface Presence<Data = unknown> {
  /** The peer's id. */
  readonly id: string
  /** What it told of itself when it joined; null where it told nothing. */
  readonly data: Data
}

/** Who is in a room, in all processes; what they told of themselves is of the type that the caller says. */
export async function listPresence<Data>(engine: Engine, room: string): Promise<Presence<Data>[]> {
  return toPresence(await engine.presence.list(room)) as Presence<Data>[]
}

/** The members of a room as handlers see them. */
export function toPresence(members: readonly EngineMember[]): Presence[] {
  // One that has just moved to another process may be in both for a moment.
  const byId = new Map(members.map(({ id, data }) => [id.split('.', 1)[0] ?? '', data]))
  return Array.from(byId, ([id, data]) => ({ id, data: JSON.parse(data) as unknown }))
}
