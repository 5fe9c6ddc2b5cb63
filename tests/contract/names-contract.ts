import type { Engine } from '@sdk/server'
import { expect, it } from 'vitest'

/** The contract of engines with a registry of process names. */
export function namesContract(open: () => Engine): void {
  it('reports whether a name is claimed', async () => {
    const [one, two] = [open(), open()]
    expect(await isHeld(two, 'ada')).toBe(false)
    one.names?.claim('ada')
    await expectHeld(two, 'ada', true)
    await expectHeld(one, 'ada', true)
    expect(await isHeld(two, 'grace')).toBe(false)
    await one.close()
    await expectHeld(two, 'ada', false)
  })
}

/** Waits until a name is claimed, or released. */
export async function expectHeld(engine: Engine, name: string, expected: boolean): Promise<void> {
  await expect.poll(() => isHeld(engine, name), { interval: 20 }).toBe(expected)
}

async function isHeld({ names }: Engine, name: string): Promise<boolean | undefined> {
  return names?.isClaimed(name)
}
