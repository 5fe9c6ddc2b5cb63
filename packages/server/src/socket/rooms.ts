import { encodeFrame } from '@sdk/protocol'
import type { Engine, EngineFrame } from '../engine/engine.ts'

/** Who hears a room: takes the frame of our protocol, or the bare message. */
export interface Member {
  readonly isSdk: boolean
  deliver(text: string): void
}

/** The rooms of one process, joined to those of the others by the engine. */
export interface Rooms {
  join(room: string, member: Member): Promise<void>
  leave(room: string, member: Member): void
  publish(room: string, message: unknown): Promise<void>
}

interface Room {
  readonly members: Set<Member>
  readonly subscribed: Promise<() => void>
}

/** The rooms over an engine. */
export function createRooms(engine: Engine): Rooms {
  const rooms = new Map<string, Room>()

  return {
    async join(name, member) {
      const room = rooms.get(name) ?? open(name)
      room.members.add(member)
      try {
        await room.subscribed
      } catch (error) {
        // The next to join tries again.
        if (rooms.get(name) === room) rooms.delete(name)
        throw error
      }
    },
    leave(name, member) {
      const room = rooms.get(name)
      if (room === undefined || !room.members.delete(member) || room.members.size > 0) return
      rooms.delete(name)
      room.subscribed.then(
        (unsubscribe) => unsubscribe(),
        () => {}, // whoever joined was told
      )
    },
    async publish(name, message) {
      const data = JSON.stringify(message)
      if (data === undefined) throw new TypeError(`a message is JSON, got ${typeof message}`)
      await engine.publish(name, data)
    },
  }

  function open(name: string): Room {
    const members = new Set<Member>()
    const room = { members, subscribed: engine.subscribe(name, (frame) => deliver(members, frame)) }
    rooms.set(name, room)
    return room
  }
}

/** Every member gets identical text, so each form is made once. */
function deliver(members: Set<Member>, frame: EngineFrame): void {
  let framed: string | undefined
  for (const member of members) member.deliver(member.isSdk ? (framed ??= toRoomFrame(frame)) : frame.data)
}

function toRoomFrame({ stream, epoch, offset, data }: EngineFrame): string {
  const head = encodeFrame({ o: 'm', s: stream, e: epoch, i: offset, d: 0 })
  return `${head.slice(0, -2)}${data}}` // the message is JSON text already: it takes the place of the 0
}
