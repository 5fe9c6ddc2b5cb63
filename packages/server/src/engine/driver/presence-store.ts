import type { EngineMember } from '../engine.ts'

/** The members that this process has in a room: what is told of each, by id. */
export type RoomMembers = ReadonlyMap<string, string>

/** The rooms that processes share, as one of them changes them: what a driver brings along. */
export interface PresenceStore {
  enter(room: string, member: EngineMember): Promise<void>
  /** These, and no others of this process. */
  enterAll(room: string, members: RoomMembers): Promise<void>
  /** Renews all rooms of this process, and gives those that could not be, as they are lost. */
  renew(rooms: readonly string[]): Promise<string[]>
  /** `isLast`: this process has no members there any more. */
  leave(room: string, ids: readonly string[], isLast: boolean): Promise<void>
  list(room: string): Promise<EngineMember[]>
  /** Changes where what was stored may be lost. */
  readRun(): Promise<string>
}
