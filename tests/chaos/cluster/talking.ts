import { readFileSync } from 'node:fs'
import type { Talker } from './crowd.ts'

/** Lets the clients send messages in turn, at a rate, until it is stopped. */
export function keepTalking(talkers: readonly Talker[], perSecond: number): { stop(): void } {
  let turn = 0
  const timer = setInterval(() => talkers[turn++ % talkers.length]?.say(), 1000 / perSecond)
  return { stop: () => clearInterval(timer) }
}

/** Waits until all messages are handled, and all members of a room are at the same position. */
export async function settle(talkers: readonly Talker[]): Promise<void> {
  const isOver = (): boolean => talkers.every(({ pending }) => pending() === 0) && behind(talkers).length === 0
  for (const end = performance.now() + 60_000; !isOver() && performance.now() < end;) await later(200)
}

/** Returns the rooms whose members are not at the same position. */
export function behind(talkers: readonly Talker[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { room, heard } of talkers) {
    const known = places.get(room) ?? new Set<string>()
    places.set(room, known.add(heard.place))
  }
  return [...places].filter(([, known]) => known.size > 1).map(([room, known]) => `${room}: ${[...known].join(', ')}`)
}

/** Returns the numbers that were sent but not recorded by any process. */
export function unhandled(talkers: readonly Talker[], notes: string): string[] {
  const handled = new Set(readFileSync(notes, 'utf8').split('\n'))
  return talkers.flatMap(({ name, said }) =>
    Array.from({ length: said() }, (_, index) => `${name} ${index + 1}`).filter((line) => !handled.has(line)),
  )
}

/** Waits for a number of ms. */
export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
