import type { Engine } from '@sdk/server'
import { expect, it } from 'vitest'

let keys = 0

/** Returns a unique caller. */
function newKey(): string {
  keys += 1
  return `caller ${keys} {ü}\0`
}

/** The contract of quotas, for engines that share them. */
export function quotaContract(openPair: () => readonly [Engine, Engine]): void {
  const open = (): readonly [Take, Take] => {
    const [one, two] = openPair()
    return [toTake(one), toTake(two)]
  }

  it('grants a quota once for concurrent requests', async () => {
    const [one, two] = open()
    const [key, policy] = [newKey(), { name: 'agent', quota: 40, window: 3600 }]
    const requests = Array.from({ length: 100 }, async (_, index) => (index % 2 === 0 ? one : two)(key, 1, policy))
    const decisions = await Promise.all(requests)
    const granted = decisions.filter(({ allowed }) => allowed).length
    // The other engine may hold a unit in advance.
    expect(granted).toBeGreaterThanOrEqual(39)
    expect(granted).toBeLessThanOrEqual(40)
    for (const { reset } of decisions) expect(reset).toBeGreaterThanOrEqual(1)
  })

  it('counts each caller and each policy separately', async () => {
    const [one, two] = open()
    const [ada, grace] = [newKey(), newKey()]
    const policy = { name: 'auth', quota: 1, window: 3600 }
    expect(await one(ada, 1, policy)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await two(ada, 1, policy)).toMatchObject({ allowed: false, remaining: 0 })
    expect(await two(grace, 1, policy)).toMatchObject({ allowed: true })
    expect(await one(ada, 1, { ...policy, name: 'default' })).toMatchObject({ allowed: true })
  })

  it('grants units again after the window', async () => {
    const [one, two] = open()
    const [key, policy] = [newKey(), { name: 'default', quota: 1, window: 1 }]
    expect(await one(key, 1, policy)).toMatchObject({ allowed: true })
    expect(await two(key, 1, policy)).toMatchObject({ allowed: false, reset: 1 })
    await expect.poll(async () => (await two(key, 1, policy)).allowed).toBe(true)
  })

  it('accepts returned units', async () => {
    const [one] = open()
    const [key, policy] = [newKey(), { name: 'default', quota: 2, window: 3600 }]
    await one(key, 1, policy)
    await one(key, -1, policy)
    const decisions = [await one(key, 1, policy), await one(key, 1, policy), await one(key, 1, policy)]
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  })

  it('returns the remaining units', async () => {
    const [one] = open()
    const [key, policy] = [newKey(), { name: 'default', quota: 600, window: 3600 }]
    for (const left of [599, 598, 597]) expect((await one(key, 1, policy)).remaining).toBe(left)
  })
}

type Take = NonNullable<Engine['take']>

function toTake({ take }: Engine): Take {
  if (take === undefined) throw new Error('this engine has no quotas')
  return take
}
