import type { Engine, EngineFrame, EnginePosition } from '@sdk/server'
import { expect, it } from 'vitest'
import { expectContiguous, listen, newStream } from './listen.ts'

/** The contract of the history, for two engines that share it. */
export function historyContract(openPair: () => readonly [Engine, Engine]): void {
  it('returns the messages after a position, oldest first, up to the limit', async () => {
    const [one, two] = openPair()
    const stream = newStream()
    const subscriber = await listen(one, stream)
    const positions = await publishAll(one, stream, 20)
    await subscriber.until('19')
    for (const engine of [one, two]) {
      expect(await engine.history(stream, subscriber.from, 100)).toEqual(subscriber.frames)
      expect(await engine.history(stream, subscriber.from, 7)).toEqual(subscriber.frames.slice(0, 7))
      expect(await engine.history(stream, at(positions, 11), 100)).toEqual(subscriber.frames.slice(12))
      expect(await engine.history(stream, at(positions, 11), 3)).toEqual(subscriber.frames.slice(12, 15))
      expect(await engine.history(stream, at(positions, 11), 0)).toEqual([])
      expect(await engine.history(stream, at(positions, 19), 100)).toEqual([])
    }
  })

  it('returns an empty history if nothing was published', async () => {
    const [one, two] = openPair()
    const stream = newStream()
    const { from, end } = await one.subscribe(stream, () => {})
    expect(from.offset).toBe(0)
    expect(await two.history(stream, from, 10)).toEqual([])
    end()
    await two.publish(stream, 'hello')
    expect(await one.history(stream, from, 10)).toEqual([{ stream, epoch: from.epoch, offset: 1, data: 'hello' }])
  })

  it('returns a gap for an unknown position', async () => {
    const [engine] = openPair()
    const stream = newStream()
    const unknownPositions = [
      { epoch: '', offset: 0 },
      { epoch: '0', offset: 0 },
      { epoch: 'e1f0', offset: 3 },
      { epoch: '1 2-3 +', offset: 1 },
      { epoch: '9999999999999', offset: 1 },
    ]
    for (const position of unknownPositions) expect(await engine.history(stream, position, 10)).toBe('gap')
    const [{ epoch } = { epoch: '' }] = await publishAll(engine, stream, 3)
    for (const position of unknownPositions) expect(await engine.history(stream, position, 10)).toBe('gap')
    for (const offset of [4, 5, 1e9, Number.MAX_SAFE_INTEGER, 1e300, Infinity, NaN, 1.5, -1])
      expect([offset, await engine.history(stream, { epoch, offset }, 10)]).toEqual([offset, 'gap'])
    expect(await engine.history(stream, { epoch, offset: 0 }, 10)).toHaveLength(3)
  })

  it('has no missing messages when it is read in pages while others publish', async () => {
    const [one, two] = openPair()
    const stream = newStream()
    const { from } = await one.subscribe(stream, () => {})
    const publishing = Promise.all([publishAll(one, stream, 300), publishAll(two, stream, 300)])
    const frames = await readAll(two, stream, { from, count: 600 })
    await publishing
    expectContiguous(frames)
    expect(frames[0]?.offset).toBe(1)
  })

  it('delivers every message after the start of a subscription, even while others publish', async () => {
    const [one, two] = openPair()
    const stream = newStream()
    const { from } = await one.subscribe(stream, () => {})
    let isOver = false
    const publishing = publishUntil(one, stream, () => isOver)
    const subscribers = []
    // The second and later subscribers of an engine find an active subscription.
    for (const engine of [two, one, two, one, two, one]) subscribers.push(await listen(engine, stream))
    isOver = true
    await publishing
    await one.publish(stream, 'end')
    for (const subscriber of subscribers) {
      await subscriber.until('end')
      expect(subscriber.frames[0]).toMatchObject({ epoch: from.epoch, offset: subscriber.from.offset + 1 })
      expectContiguous(subscriber.frames)
      expect(await one.history(stream, subscriber.from, 10_000)).toEqual(subscriber.frames)
    }
  })

  it('delivers only later messages to a listener that subscribes during a delivery', async () => {
    const [engine] = openPair()
    const stream = newStream()
    const late: ReturnType<typeof listen>[] = []
    const { end } = await engine.subscribe(stream, () => late.push(listen(engine, stream)))
    const positions = await publishAll(engine, stream, 1)
    await expect.poll(() => late.length).toBe(1)
    end()
    const subscriber = await late[0]
    await engine.publish(stream, 'end')
    await subscriber?.until('end')
    expect(subscriber?.from).toEqual(positions[0])
    expect(subscriber?.data()).toEqual(['end'])
  })

  it('stores any text', async () => {
    const [one, two] = openPair()
    const stream = `${newStream()} {a}:*}`
    const { from } = await one.subscribe(stream, () => {})
    const texts = ['', ' ', '1-2 3', '{"a":"ü🙂\\u0000"}', 'line\r\nbreak\0', 'x'.repeat(1_048_576)]
    for (const text of texts) await one.publish(stream, text)
    expect(dataOf(await two.history(stream, from, 10))).toEqual(texts)
  })
}

/** The contract of a history that keeps about 100 messages. */
export function trimContract(open: () => Engine): void {
  it('returns a gap for trimmed messages, and all messages that are kept', async () => {
    const engine = open()
    const stream = newStream()
    const { from } = await engine.subscribe(stream, () => {})
    const positions = await publishAll(engine, stream, 1_000)
    expect(await engine.history(stream, from, 10)).toBe('gap')
    expect(await engine.history(stream, at(positions, 500), 10)).toBe('gap')
    expect(await engine.history(stream, at(positions, 500), 0)).toBe('gap')
    const kept = await engine.history(stream, at(positions, 899), 1_000)
    expect(dataOf(kept)).toEqual(Array.from({ length: 100 }, (_, index) => `${900 + index}`))
  })
}

function at(positions: readonly EnginePosition[], index: number): EnginePosition {
  const position = positions[index]
  if (position === undefined) throw new Error(`message ${index} was not published`)
  return position
}

function dataOf(frames: readonly EngineFrame[] | 'gap'): string[] | 'gap' {
  return frames === 'gap' ? frames : frames.map((frame) => frame.data)
}

/** Publishes 0, 1, 2 … */
function publishAll(engine: Engine, stream: string, count: number): Promise<EnginePosition[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => engine.publish(stream, `${index}`)))
}

/** Publishes 0, 1, 2 …, interleaved with other work. */
async function publishUntil(engine: Engine, stream: string, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver() && count < 800; count += 1) await engine.publish(stream, `${count}`)
}

/** Reads pages of seven until a number of messages was read. */
async function readAll(
  engine: Engine,
  stream: string,
  { from, count }: { from: EnginePosition; count: number },
): Promise<EngineFrame[]> {
  const frames: EngineFrame[] = []
  while (frames.length < count) {
    const page = await engine.history(stream, frames.at(-1) ?? from, 7)
    if (page === 'gap') throw new Error(`a gap after ${frames.length} messages`)
    frames.push(...page)
  }
  return frames
}
