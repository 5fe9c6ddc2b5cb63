import { readFileSync } from 'node:fs'
import type { RoomMember } from './members.ts'

/** Lets the clients send messages in turn, at a rate, until it is stopped. */
export function keepSending(members: readonly RoomMember[], perSecond: number): { stop(): void } {
  let turn = 0
  const timer = setInterval(() => members[turn++ % members.length]?.sendNext(), 1000 / perSecond)
  return { stop: () => clearInterval(timer) }
}

/** Waits until all messages are handled, and all members of a room are at the same position. */
export async function settle(members: readonly RoomMember[]): Promise<void> {
  const isOver = (): boolean => members.every(({ pending }) => pending() === 0) && behind(members).length === 0
  for (const end = performance.now() + 60_000; !isOver() && performance.now() < end;) await later(200)
}

/** Returns the rooms whose members are not at the same position. */
export function behind(members: readonly RoomMember[]): string[] {
  const byRoom = new Map<string, Set<string>>()
  for (const { room, messages } of members) {
    const known = byRoom.get(room) ?? new Set<string>()
    byRoom.set(room, known.add(messages.position))
  }
  return [...byRoom].filter(([, known]) => known.size > 1).map(([room, known]) => `${room}: ${[...known].join(', ')}`)
}

/** Returns the numbers that were sent but not recorded by any process. */
export function unhandled(members: readonly RoomMember[], notes: string): string[] {
  const handled = new Set(readFileSync(notes, 'utf8').split('\n'))
  return members.flatMap(({ name, sent }) =>
    Array.from({ length: sent() }, (_, index) => `${name} ${index + 1}`).filter((line) => !handled.has(line)),
  )
}

/** Waits for a number of ms. */
export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
