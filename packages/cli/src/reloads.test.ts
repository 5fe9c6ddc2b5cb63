import { describe, expect, it } from 'vitest'
import { createReloads } from './reloads.ts'

describe('createReloads', () => {
  it('loads once for all that changed while a load ran', async () => {
    const { loads, reloads, shown } = setup()
    await reloads.begin()
    reloads.touch('a')
    reloads.touch('b')
    reloads.touch('a')
    await shown.at(-1)
    expect(loads).toEqual([[], ['a', 'b']])
  })

  it('never runs two loads at once', async () => {
    let running = 0
    let most = 0
    const { reloads, shown } = setup(async () => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
    })
    void reloads.begin()
    reloads.touch('a')
    await Promise.resolve()
    reloads.touch('b')
    await shown.at(-1)
    expect(most).toBe(1)
  })

  it('goes on after a load that failed', async () => {
    let isBroken = true
    const { loads, reloads, shown } = setup(() =>
      isBroken ? Promise.reject(new Error('disk full')) : Promise.resolve(),
    )
    await expect(reloads.begin()).rejects.toThrow('disk full')
    isBroken = false
    reloads.touch('a')
    await shown.at(-1)
    expect(loads).toEqual([[], ['a']])
  })

  it('ignores changes before the first load', () => {
    const { loads, reloads } = setup()
    reloads.touch('a')
    expect(loads).toEqual([])
  })
})

function setup(work: () => Promise<unknown> = () => Promise.resolve()) {
  const loads: (readonly string[])[] = []
  const shown: Promise<unknown>[] = []
  const reloads = createReloads({
    load: (changed) => {
      loads.push(changed)
      return work()
    },
    show: (next) => void shown.push(next),
  })
  return { loads, reloads, shown }
}
