import { describe, expect, it } from 'vitest'
import { createReloadQueue } from './reload-queue.ts'

describe('createReloadQueue', () => {
  it('loads once for all changes during a load', async () => {
    const { loads, reloads, shown } = setup()
    await reloads.start()
    reloads.fileChanged('a')
    reloads.fileChanged('b')
    reloads.fileChanged('a')
    await shown.at(-1)
    expect(loads).toEqual([[], ['a', 'b']])
  })

  it('never runs two loads concurrently', async () => {
    let running = 0
    let most = 0
    const { reloads, shown } = setup(async () => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
    })
    void reloads.start()
    reloads.fileChanged('a')
    await Promise.resolve()
    reloads.fileChanged('b')
    await shown.at(-1)
    expect(most).toBe(1)
  })

  it('continues after a failed load', async () => {
    let isBroken = true
    const { loads, reloads, shown } = setup(() =>
      isBroken ? Promise.reject(new Error('disk full')) : Promise.resolve(),
    )
    await expect(reloads.start()).rejects.toThrow('disk full')
    isBroken = false
    reloads.fileChanged('a')
    await shown.at(-1)
    expect(loads).toEqual([[], ['a']])
  })

  it('ignores changes before the first load', () => {
    const { loads, reloads } = setup()
    reloads.fileChanged('a')
    expect(loads).toEqual([])
  })

  it('calls onLoad before the rest is loaded, and again with the complete load', async () => {
    const rest = gate()
    const { reloads, shown } = setup(undefined, rest.open)
    expect(await reloads.start()).toBe('load 1')
    expect(shown).toHaveLength(1)
    rest.pass()
    await expect.poll(() => shown).toHaveLength(2)
    expect(await shown[1]).toBe('load 1, whole')
  })

  it('does not complete a load whose files have changed in the meantime', async () => {
    const rest = gate()
    const { reloads, shown } = setup(undefined, rest.open)
    await reloads.start()
    reloads.fileChanged('a')
    rest.pass()
    await expect.poll(() => shown).toHaveLength(3)
    expect(await Promise.all(shown)).toEqual(['load 1', 'load 2', 'load 2, whole'])
  })
})

/** Creates a `loadRest` function that resolves when the test calls `pass`. */
function gate(): { open: () => Promise<boolean>; pass: () => void } {
  let pass = (): void => {}
  const passed = new Promise<boolean>((resolve) => (pass = () => resolve(true)))
  return { open: () => passed, pass: () => pass() }
}

function setup(
  work: () => Promise<unknown> = () => Promise.resolve(),
  loadRest: () => Promise<boolean | null> = () => Promise.resolve(null),
) {
  const loads: (readonly string[])[] = []
  const shown: Promise<string>[] = []
  const reloads = createReloadQueue({
    async load(changed) {
      const name = `load ${loads.push(changed)}`
      await work()
      return name
    },
    onLoad: (next) => void shown.push(next),
    loadRest,
    pause: () => Promise.resolve(),
    complete: (name) => `${name}, whole`,
  })
  return { loads, reloads, shown }
}
