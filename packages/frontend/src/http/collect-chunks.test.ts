import { afterEach, describe, expect, it, vi } from 'vitest'
import { collectChunks } from './collect-chunks.ts'

afterEach(() => void vi.unstubAllGlobals())

/** Stubs animation frames, which the test draws. */
function stubFrames(): { draw(): void; waiting(): number } {
  const waiting = new Map<number, () => void>()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    waiting.set(++last, run)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => void waiting.delete(frame))
  return {
    waiting: () => waiting.size,
    draw() {
      for (const run of waiting.values()) run()
    },
  }
}

async function* count(...steps: (number | (() => unknown))[]): AsyncGenerator<number> {
  for (const step of steps) {
    if (typeof step === 'number') yield step
    else await step()
  }
}

describe('collectChunks', () => {
  it('shows the received chunks once per frame and all of them at the end', async () => {
    const { draw, waiting } = stubFrames()
    const shown: number[] = []
    const all = await collectChunks(count(1, 2, 3, draw, draw, 4, 5, draw, 6), {
      show: (chunks) => shown.push(chunks.length),
    })
    expect(all).toEqual([1, 2, 3, 4, 5, 6])
    expect(shown).toEqual([3, 5, 6])
    expect(waiting()).toBe(0)
  })

  it('shows lists that do not change later', async () => {
    const { draw } = stubFrames()
    const shown: unknown[][] = []
    await collectChunks(count(1, draw, 2), { show: (chunks) => shown.push(chunks) })
    expect(shown).toEqual([[1], [1, 2]])
  })

  it('shows the received chunks in a page that draws no frames', async () => {
    stubFrames()
    const shown: number[] = []
    const seen = new Promise<void>((resolve) => {
      void collectChunks(
        count(1, 2, () => seen),
        { show: (chunks) => shown.push(chunks.length) && resolve() },
      )
    })
    await seen
    expect(shown[0]).toBe(2)
  })

  it('shows the received chunks without requestAnimationFrame', async () => {
    vi.stubGlobal('requestAnimationFrame', undefined)
    const shown: number[] = []
    const seen = new Promise<void>((resolve) => {
      void collectChunks(
        count(1, 2, () => seen),
        { show: (chunks) => shown.push(chunks.length) && resolve() },
      )
    })
    await seen
    expect(shown[0]).toBe(2)
  })

  it('shows the chunks before an error and rejects', async () => {
    stubFrames()
    const shown: unknown[] = []
    const broken = collectChunks(
      count(1, () => Promise.reject(new RangeError('broken'))),
      {
        show: (chunks) => shown.push(chunks),
      },
    )
    await expect(broken).rejects.toThrow(RangeError)
    expect(shown).toEqual([[1]])
  })

  it('waits for onChunk before it reads the next chunk', async () => {
    const steps: string[] = []
    await collectChunks(
      count(1, () => steps.push('read'), 2),
      {
        onChunk: async (chunk) => {
          await Promise.resolve()
          steps.push(`seen ${String(chunk)}`)
        },
      },
    )
    expect(steps).toEqual(['seen 1', 'read', 'seen 2'])
  })
})
