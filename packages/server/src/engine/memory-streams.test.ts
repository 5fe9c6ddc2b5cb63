import { describe, expect, it } from 'vitest'
import type { EngineFrame, EnginePosition } from './engine.ts'
import { createMemoryStreams, type MemoryHistoryOptions } from './memory-streams.ts'

// What every engine promises is in tests/contract; here is what needs a clock or limits of its own.

describe('createMemoryStreams', () => {
  it('keeps the last 1,000 messages of a stream', async () => {
    const { streams, publish } = create()
    const places = await publish('lobby', 1_500)
    const kept = await streams.history('lobby', at(places, 499), 5_000)
    expect(dataOf(kept)).toEqual(Array.from({ length: 1_000 }, (_, index) => `${index + 500}`))
    expect(await streams.history('lobby', at(places, 498), 5_000)).toBe('gap')
    expect(await streams.history('lobby', at(places, 1_499), 5_000)).toEqual([])
  })

  it('keeps each message for five minutes', async () => {
    const { streams, publish, wait } = create()
    const { from } = await streams.subscribe('lobby', () => {})
    const places = await publish('lobby', 1)
    wait(200_000)
    await publish('lobby', 1)
    wait(99_999)
    expect(await streams.history('lobby', from, 10)).toHaveLength(2)
    wait(1)
    expect(await streams.history('lobby', from, 10)).toBe('gap')
    expect(await streams.history('lobby', at(places, 0), 10)).toHaveLength(1)
  })

  it('drops the oldest of all streams when there are too many bytes', async () => {
    const { streams, publish } = create({ bytes: 4_800 }) // three, and not four
    const ends = await Promise.all(['one', 'two'].map((name) => streams.subscribe(name, () => {})))
    const text = 'x'.repeat(1_000)
    for (const name of ['one', 'two', 'two', 'one']) await publish(name, 1, text)
    const kept = await Promise.all(
      ['one', 'two'].map((name, index) => streams.history(name, ends[index]?.from ?? nowhere, 9)),
    )
    expect(kept[0]).toBe('gap')
    expect(kept[1]).toHaveLength(2)
  })

  it('tells also what is larger than all that it may keep', async () => {
    const { streams, publish } = create({ bytes: 1_000 })
    const heard: EngineFrame[] = []
    const { from } = await streams.subscribe('lobby', (frame) => heard.push(frame))
    const [place = nowhere] = await publish('lobby', 1, 'x'.repeat(2_000))
    expect(heard).toHaveLength(1)
    expect(await streams.history('lobby', from, 1)).toBe('gap')
    expect(await streams.history('lobby', place, 1)).toEqual([])
  })

  it('knows a stream while somebody hears it, and for five minutes after that', async () => {
    const { streams, wait } = create()
    const { from, end } = await streams.subscribe('lobby', () => {})
    wait(1e9)
    expect(await streams.history('lobby', from, 1)).toEqual([])
    end()
    wait(299_999)
    const again = await streams.subscribe('lobby', () => {})
    expect(again.from).toEqual(from)
    again.end()
    wait(299_999)
    expect(await streams.history('lobby', from, 1)).toEqual([])
    wait(1)
    expect(await streams.history('lobby', from, 1)).toBe('gap')
  })

  it('gives a forgotten stream another epoch, in which an old place is a gap', async () => {
    const { streams, publish, wait } = create()
    const [old = nowhere] = await publish('lobby', 1)
    wait(300_000)
    const [place = nowhere] = await publish('lobby', 3)
    expect(place.offset).toBe(1)
    expect(place.epoch).not.toBe(old.epoch)
    expect(await streams.history('lobby', old, 10)).toBe('gap')
    expect(await streams.history('lobby', { ...old, offset: 0 }, 10)).toBe('gap')
  })

  it('does not grow with the number of names that were ever used', async () => {
    const { streams, publish, wait } = create({ bytes: 70_000 })
    const places: EnginePosition[] = []
    for (let index = 0; index < 1_000; index += 1) {
      if (index % 2 === 0) places.push(...(await publish(`room ${index}`, 1)))
      else {
        const { from, end } = await streams.subscribe(`room ${index}`, () => {})
        end()
        places.push(from)
      }
    }
    const known = async (): Promise<number> => {
      const found = await Promise.all(places.map((place, index) => streams.history(`room ${index}`, place, 1)))
      return found.filter((kept) => kept !== 'gap').length
    }
    expect(await known()).toBeGreaterThan(90)
    expect(await known()).toBeLessThan(120)
    wait(300_000)
    expect(await known()).toBe(0)
  })

  it('keeps nothing where it was told so, and is heard', async () => {
    const { streams, publish } = create({ messages: 0 })
    const heard: EngineFrame[] = []
    const { from } = await streams.subscribe('lobby', (frame) => heard.push(frame))
    await publish('lobby', 3)
    expect(dataOf(heard)).toEqual(['0', '1', '2'])
    expect(await streams.history('lobby', from, 1)).toBe('gap')
  })

  it('tells before publish returns', () => {
    const { streams } = create()
    const heard: EngineFrame[] = []
    void streams.subscribe('lobby', (frame) => heard.push(frame))
    void streams.publish('lobby', 'hello')
    expect(dataOf(heard)).toEqual(['hello'])
  })

  it('keeps the order for everyone when a listener publishes, leaves, or brings another', async () => {
    const { streams } = create()
    const [first, last, late]: [string[], string[], string[]] = [[], [], []]
    const leaving = await streams.subscribe('lobby', ({ data }) => {
      first.push(data)
      if (data !== 'one') return
      void streams.publish('lobby', 'two')
      void streams.subscribe('lobby', (frame) => late.push(frame.data))
      void streams.publish('lobby', 'three')
      leaving.end()
    })
    await streams.subscribe('lobby', ({ data }) => last.push(data))
    await streams.publish('lobby', 'one')
    expect([first, last, late]).toEqual([['one'], ['one', 'two', 'three'], ['three']])
  })

  it('takes nothing any more when it is closed, and has forgotten all places', async () => {
    const { streams } = create()
    const { from, end } = await streams.subscribe('lobby', () => expect.unreachable())
    streams.close()
    await expect(streams.publish('lobby', '1')).rejects.toThrow('The engine is closed')
    end()
    expect(await streams.history('lobby', from, 1)).toBe('gap')
  })
})

const nowhere: EnginePosition = { epoch: 'none', offset: 0 }

function at(places: readonly EnginePosition[], index: number): EnginePosition {
  return places[index] ?? nowhere
}

function dataOf(kept: readonly EngineFrame[] | 'gap'): string[] | 'gap' {
  return kept === 'gap' ? kept : kept.map((frame) => frame.data)
}

function create(history?: MemoryHistoryOptions) {
  let now = 0
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const streams = createMemoryStreams({ now: () => now, log: silent, history })
  return {
    streams,
    publish(name: string, count: number, text?: string): Promise<EnginePosition[]> {
      return Promise.all(Array.from({ length: count }, (_, index) => streams.publish(name, text ?? `${index}`)))
    },
    wait(ms: number): void {
      now += ms
    },
  }
}
