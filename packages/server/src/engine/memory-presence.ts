import type { EnginePresence } from './engine.ts'

/** The presence of one process. It ends with the process, so it needs no leases. */
export interface MemoryPresence extends EnginePresence {
  clear(): void
}

/** Who is in the rooms of one process, in its memory. */
export function createMemoryPresence(): MemoryPresence {
  const rooms = new Map<string, Map<string, string>>()

  return {
    join(room, { id, data }) {
      const members = rooms.get(room) ?? new Map<string, string>()
      rooms.set(room, members.set(id, data))
      return Promise.resolve()
    },
    leave(room, id) {
      const members = rooms.get(room)
      if (members?.delete(id) === true && members.size === 0) rooms.delete(room)
      return Promise.resolve()
    },
    list(room) {
      const members = Array.from(rooms.get(room) ?? [], ([id, data]) => ({ id, data }))
      return Promise.resolve(members.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    },
    clear: () => rooms.clear(),
  }
}
