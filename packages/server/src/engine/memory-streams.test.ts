import { describe, expect, it } from 'vitest'
import type { EngineFrame, EnginePosition } from './engine.ts'
import { createMemoryStreams, type MemoryHistoryOptions } from './memory-streams.ts'

// The contract of every engine is tested in tests/contract; these tests need a fake clock or limits.

describe('createMemoryStreams', () => {
  it('keeps the last 1,000 messages of a stream', async () => {
    const { streams, publish } = create()
    const positions = await publish('lobby', 1_500)
    const frames = await streams.history('lobby', at(positions, 499), 5_000)
    expect(dataOf(frames)).toEqual(Array.from({ length: 1_000 }, (_, index) => `${index + 500}`))
    expect(await streams.history('lobby', at(positions, 498), 5_000)).toBe('gap')
    expect(await streams.history('lobby', at(positions, 1_499), 5_000)).toEqual([])
  })

  it('keeps each message for five minutes', async () => {
    const { streams, publish, wait } = create()
    const { from } = await streams.subscribe('lobby', () => {})
    const positions = await publish('lobby', 1)
    wait(200_000)
    await publish('lobby', 1)
    wait(99_999)
    expect(await streams.history('lobby', from, 10)).toHaveLength(2)
    wait(1)
    expect(await streams.history('lobby', from, 10)).toBe('gap')
    expect(await streams.history('lobby', at(positions, 0), 10)).toHaveLength(1)
  })

  it('drops the oldest messages of all streams beyond the byte limit', async () => {
    const { streams, publish } = create({ bytes: 4_800 }) // enough for three messages
    const ends = await Promise.all(['one', 'two'].map((name) => streams.subscribe(name, () => {})))
    const text = 'x'.repeat(1_000)
    for (const name of ['one', 'two', 'two', 'one']) await publish(name, 1, text)
    const frames = await Promise.all(
      ['one', 'two'].map((name, index) => streams.history(name, ends[index]?.from ?? nowhere, 9)),
    )
    expect(frames[0]).toBe('gap')
    expect(frames[1]).toHaveLength(2)
  })

  it('delivers a message that is larger than the history limit', async () => {
    const { streams, publish } = create({ bytes: 1_000 })
    const received: EngineFrame[] = []
    const { from } = await streams.subscribe('lobby', (frame) => received.push(frame))
    const [position = nowhere] = await publish('lobby', 1, 'x'.repeat(2_000))
    expect(received).toHaveLength(1)
    expect(await streams.history('lobby', from, 1)).toBe('gap')
    expect(await streams.history('lobby', position, 1)).toEqual([])
  })

  it('keeps a stream while it has a subscriber, and for five minutes after that', async () => {
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

  it('starts a new epoch for a forgotten stream, in which an old position is a gap', async () => {
    const { streams, publish, wait } = create()
    const [old = nowhere] = await publish('lobby', 1)
    wait(300_000)
    const [position = nowhere] = await publish('lobby', 3)
    expect(position.offset).toBe(1)
    expect(position.epoch).not.toBe(old.epoch)
    expect(await streams.history('lobby', old, 10)).toBe('gap')
    expect(await streams.history('lobby', { ...old, offset: 0 }, 10)).toBe('gap')
  })

  it('forgets unused streams beyond its byte limit', async () => {
    const { streams, publish, wait } = create({ bytes: 70_000 })
    const positions: EnginePosition[] = []
    for (let index = 0; index < 1_000; index += 1) {
      if (index % 2 === 0) positions.push(...(await publish(`room ${index}`, 1)))
      else {
        const { from, end } = await streams.subscribe(`room ${index}`, () => {})
        end()
        positions.push(from)
      }
    }
    const known = async (): Promise<number> => {
      const found = await Promise.all(positions.map((position, index) => streams.history(`room ${index}`, position, 1)))
      return found.filter((frames) => frames !== 'gap').length
    }
    expect(await known()).toBeGreaterThan(90)
    expect(await known()).toBeLessThan(120)
    wait(300_000)
    expect(await known()).toBe(0)
  })

  it('delivers messages without a history if messages is 0', async () => {
    const { streams, publish } = create({ messages: 0 })
    const received: EngineFrame[] = []
    const { from } = await streams.subscribe('lobby', (frame) => received.push(frame))
    await publish('lobby', 3)
    expect(dataOf(received)).toEqual(['0', '1', '2'])
    expect(await streams.history('lobby', from, 1)).toBe('gap')
  })

  it('delivers before publish returns', () => {
    const { streams } = create()
    const received: EngineFrame[] = []
    void streams.subscribe('lobby', (frame) => received.push(frame))
    void streams.publish('lobby', 'hello')
    expect(dataOf(received)).toEqual(['hello'])
  })

  it('keeps the order if a listener publishes, unsubscribes or adds another listener', async () => {
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

  it('rejects publish after close and forgets all positions', async () => {
    const { streams } = create()
    const { from, end } = await streams.subscribe('lobby', () => expect.unreachable())
    streams.close()
    await expect(streams.publish('lobby', '1')).rejects.toThrow('The engine is closed')
    end()
    expect(await streams.history('lobby', from, 1)).toBe('gap')
  })
})

const nowhere: EnginePosition = { epoch: 'none', offset: 0 }

function at(positions: readonly EnginePosition[], index: number): EnginePosition {
  return positions[index] ?? nowhere
}

function dataOf(frames: readonly EngineFrame[] | 'gap'): string[] | 'gap' {
  return frames === 'gap' ? frames : frames.map((frame) => frame.data)
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
