import type { Engine } from '@sdk/server'
import { expect, it } from 'vitest'

/** The contract of sequences, for two engines that share them. */
export function sequenceContract(openPair: () => readonly [Engine, Engine]): void {
  const open = (): readonly [Engine['sequence'], Engine['sequence']] => {
    const [one, two] = openPair()
    return [one.sequence, two.sequence]
  }

  it('returns the last number of a session on every engine', async () => {
    const [one, two] = open()
    const session = newSession()
    expect(await two.get(session)).toBeNull()
    await one.set(session, 1)
    expect(await two.get(session)).toBe(1)
    await two.set(session, Number.MAX_SAFE_INTEGER)
    expect(await one.get(session)).toBe(Number.MAX_SAFE_INTEGER)
    expect(await one.get(newSession())).toBeNull()
  })

  it('returns a number that is being set', async () => {
    const [one] = open()
    const session = newSession()
    const setting = one.set(session, 7)
    expect(await one.get(session)).toBe(7)
    await setting
  })

  it('ignores a lower number', async () => {
    const [one, two] = open()
    const session = newSession()
    await one.set(session, 50)
    await two.set(session, 42)
    expect(await one.get(session)).toBe(50)
    await Promise.all([one.set(session, 52), one.set(session, 51)])
    expect(await two.get(session)).toBe(52)
  })

  it('stores the numbers of many sessions concurrently', async () => {
    const [one, two] = open()
    const sessions = Array.from({ length: 1_000 }, newSession)
    await Promise.all([1, 2, 3].flatMap((handled) => sessions.map(async (session) => one.set(session, handled))))
    expect(new Set(await Promise.all(sessions.map((session) => two.get(session))))).toEqual(new Set([3]))
  })
}

let sessions = 0

/** Returns a unique session. */
function newSession(): string {
  sessions += 1
  return `session ${sessions} {ü}`
}
