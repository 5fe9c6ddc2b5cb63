import type { Engine, EngineFrame } from '@sdk/server'
import { expect, it } from 'vitest'
import { expectContiguous, listen, newStream } from './listen.ts'

/** The contract of every engine. */
export function engineContract(open: () => Engine): void {
  it('delivers in the order of publishing, once, with offsets 1, 2, 3 …', async () => {
    const engine = open()
    const stream = newStream()
    const ears = await listen(engine, stream)
    const sent = Array.from({ length: 200 }, (_, index) => `${index}`)
    const places = await Promise.all(sent.map((data) => engine.publish(stream, data)))
    await engine.publish(stream, 'end')

    await ears.until('end')
    expect(ears.data()).toEqual([...sent, 'end'])
    expect(ears.frames.slice(0, -1).map(({ epoch, offset }) => ({ epoch, offset }))).toEqual(places)
    expect(places.map(({ offset }) => offset)).toEqual(sent.map((_, index) => index + 1))
    expect(new Set(places.map(({ epoch }) => epoch)).size).toBe(1)
    expect(new Set(ears.frames.map((frame) => frame.stream))).toEqual(new Set([stream]))
  })

  it('delivers to every subscriber', async () => {
    const engine = open()
    const stream = newStream()
    const ears = [await listen(engine, stream), await listen(engine, stream)]
    await engine.publish(stream, 'hello')
    for (const ear of ears) {
      await ear.until('hello')
      expect(ear.data()).toEqual(['hello'])
    }
  })

  it('counts each stream for itself', async () => {
    const engine = open()
    const [one, two] = [newStream(), newStream()]
    const ears = await listen(engine, one)
    expect(await engine.publish(two, 'not for you')).toMatchObject({ offset: 1 })
    expect(await engine.publish(one, 'for you')).toMatchObject({ offset: 1 })
    await ears.until('for you')
    expect(ears.data()).toEqual(['for you'])
  })

  it('tells nothing from before the subscription', async () => {
    const engine = open()
    const stream = newStream()
    await engine.publish(stream, 'early')
    const ears = await listen(engine, stream)
    await engine.publish(stream, 'late')
    await ears.until('late')
    expect(ears.data()).toEqual(['late'])
    expect(ears.frames[0]?.offset).toBe(2)
  })

  it('ends one subscription and leaves the others', async () => {
    const engine = open()
    const stream = newStream()
    const [leaving, staying] = [await listen(engine, stream), await listen(engine, stream)]
    await engine.publish(stream, 'both')
    await Promise.all([leaving.until('both'), staying.until('both')])
    leaving.end()
    leaving.end()
    await engine.publish(stream, 'one')
    await staying.until('one')
    expect(leaving.data()).toEqual(['both'])
    expect(staying.data()).toEqual(['both', 'one'])
  })

  it('counts a function that listens twice as two, and ends each once', async () => {
    const engine = open()
    const stream = newStream()
    const heard: string[] = []
    const listener = ({ data }: EngineFrame): unknown => heard.push(data)
    const twice = await engine.subscribe(stream, listener)
    await engine.subscribe(stream, listener)
    twice.end()
    twice.end()
    const ears = await listen(engine, stream)
    await engine.publish(stream, 'hello')
    await ears.until('hello')
    expect(heard).toEqual(['hello'])
  })

  it('goes on when a listener throws', async () => {
    const engine = open()
    const stream = newStream()
    await engine.subscribe(stream, () => {
      throw new Error('a bug in the app')
    })
    const ears = await listen(engine, stream)
    await engine.publish(stream, 'one')
    await ears.until('one')
    expect(ears.data()).toEqual(['one'])
  })

  it('subscribes again at once after the last one left', async () => {
    const engine = open()
    const stream = newStream()
    const first = await listen(engine, stream)
    first.end()
    const second = await listen(engine, stream)
    await engine.publish(stream, 'hello')
    await second.until('hello')
    expect(first.data()).toEqual([])
    expect(second.data()).toEqual(['hello'])
  })

  it('carries any text, also a large one', async () => {
    const engine = open()
    const stream = `${newStream()} {a}:*}`
    const ears = await listen(engine, stream)
    const texts = ['', ' ', '1-2 3', '{"a":"ü🙂\\u0000"}', 'line\r\nbreak\0', 'x'.repeat(1_048_576), 'end']
    for (const text of texts) await engine.publish(stream, text)
    await ears.until('end')
    expect(ears.data()).toEqual(texts)
  })

  it('closes as often as one likes', async () => {
    const engine = open()
    await listen(engine, newStream())
    await Promise.all([engine.close(), engine.close()])
    expect(await engine.close()).toBeUndefined()
  })

  it('says that it is closed to who publishes then', async () => {
    const engine = open()
    await engine.publish(newStream(), 'before')
    await engine.close()
    await expect(engine.publish(newStream(), 'after')).rejects.toThrow('The engine is closed')
  })
}

/** Additional guarantees of engines on one Redis. */
export function sharedContract(open: () => Engine): void {
  it('joins two engines', async () => {
    const [one, two] = [open(), open()]
    const stream = newStream()
    const ears = [await listen(one, stream), await listen(two, stream)]
    await one.publish(stream, 'from one')
    await two.publish(stream, 'from two')
    for (const ear of ears) {
      await ear.until('from two')
      expect(ear.data()).toEqual(['from one', 'from two'])
    }
  })

  it('keeps one order for all of 1,000 messages from two publishers', async () => {
    const [one, two] = [open(), open()]
    const stream = newStream()
    const ears = await Promise.all([one, two, open()].map((engine) => listen(engine, stream)))
    const counts = Array.from({ length: 500 }, (_, count) => count)
    await Promise.all(
      counts.flatMap((count) => [one.publish(stream, `one ${count}`), two.publish(stream, `two ${count}`)]),
    )
    await open().publish(stream, 'end')

    await Promise.all(ears.map((ear) => ear.until('end')))
    const [order = []] = ears.map((ear) => ear.data())
    expect(order).toHaveLength(1_001)
    for (const ear of ears) {
      expect(ear.data()).toEqual(order)
      expectContiguous(ear.frames)
    }
    // The messages of each publisher stay in order.
    for (const name of ['one', 'two']) {
      expect(order.filter((data) => data.startsWith(name))).toEqual(counts.map((count) => `${name} ${count}`))
    }
  })

  it('delivers what was published just before it closed', async () => {
    const stream = newStream()
    const ears = await listen(open(), stream)
    const leaving = open()
    await leaving.publish(stream, 'first')
    const last = leaving.publish(stream, 'last')
    await leaving.close()
    await last
    await ears.until('last')
    expect(ears.data()).toEqual(['first', 'last'])
  })
}
