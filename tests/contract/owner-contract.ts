import type { Engine } from '@sdk/server'
import { expect, it } from 'vitest'

type Kv = Engine['kv']

/** Sixteen values of this size, with their keys, are the limit of one owner. */
const LARGE = 'x'.repeat(1_000_000)

/** The contract of values with an owner, for two engines that share them. */
export function ownerContract(openPair: () => readonly [Engine, Engine]): void {
  const open = (): readonly [Kv, Kv] => {
    const [one, two] = openPair()
    return [one.kv, two.kv]
  }

  it('stores 16 Mi characters per owner and deletes the oldest values above that', async () => {
    const [one, two] = open()
    const [owner, other] = [newName(), newName()]
    const [early] = await keepLarge(one, { owner: other, count: 1 })
    await one.set(newName(), LARGE, { ttl: 60 })
    const keys = [
      ...(await keepLarge(one, { owner, count: 10 })),
      ...(await keepLarge(two, { owner, count: 10 })), // it did not exist when the others were written
    ]
    expect(await findExisting(two, keys)).toEqual(keys.slice(4))
    expect(await findExisting(one, [early ?? ''])).toEqual([early])
  })

  it('limits concurrent values of an owner', async () => {
    const [one, two] = open()
    const owner = newName()
    const kept = await Promise.all(
      Array.from({ length: 40 }, (_, index) => keepLarge(index % 2 === 0 ? one : two, { owner, count: 1 })),
    )
    expect((await findExisting(one, kept.flat())).length).toBe(16)
  })

  it('does not count expired values', async () => {
    const [one, two] = open()
    const owner = newName()
    const gone = await keepLarge(one, { owner, count: 10, ttl: 0.2 })
    await expect.poll(() => findExisting(two, gone)).toEqual([])
    const keys = await keepLarge(two, { owner, count: 16 })
    expect(await findExisting(one, keys)).toEqual(keys)
  })

  it('does not delete a new value under the key of an expired one', async () => {
    const [one, two] = open()
    const owner = newName()
    const [key = ''] = await keepLarge(one, { owner, count: 1, ttl: 0.2 })
    await expect.poll(() => two.get(key)).toBeNull()
    expect(await two.compareAndSet(key, { from: null, to: 'running', ttl: 60 })).toBe(true)
    await keepLarge(one, { owner, count: 20 })
    expect(await two.get(key)).toBe('running')
  })
}

interface Keeping {
  readonly owner: string
  readonly count: number
  readonly ttl?: number
  /** The wait after writing: while Redis flushes this much, it persists confirmed writes up to two seconds later. */
  readonly settleMs?: number
}

/** Stores large values for an owner, each after a short one, as replies are stored. */
export async function keepLarge(kv: Kv, { owner, count, ttl = 60, settleMs = 0 }: Keeping): Promise<string[]> {
  const keys = Array.from({ length: count }, newName)
  for (const key of keys) {
    await kv.set(key, 'running', { ttl: 30 })
    expect(await kv.compareAndSet(key, { from: 'running', to: LARGE, ttl, owner })).toBe(true)
  }
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  return keys
}

/** Returns the keys that have a value. */
export async function findExisting(kv: Kv, keys: readonly string[]): Promise<string[]> {
  const values = await Promise.all(keys.map((key) => kv.get(key)))
  return keys.filter((_, index) => values[index] !== null)
}

let names = 0

/** Returns a unique name. */
function newName(): string {
  names += 1
  return `owned ${names}`
}
