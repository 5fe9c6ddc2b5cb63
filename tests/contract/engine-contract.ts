import type { Engine, EngineFrame } from '@sdk/server'
import { expect, it } from 'vitest'
import { expectContiguous, listen, newStream } from './listen.ts'

/** The contract of every engine. */
export function engineContract(open: () => Engine): void {
  it('delivers each message once, in the order of publishing, with offsets 1, 2, 3 …', async () => {
    const engine = open()
    const stream = newStream()
    const subscriber = await listen(engine, stream)
    const sent = Array.from({ length: 200 }, (_, index) => `${index}`)
    const positions = await Promise.all(sent.map((data) => engine.publish(stream, data)))
    await engine.publish(stream, 'end')

    await subscriber.until('end')
    expect(subscriber.data()).toEqual([...sent, 'end'])
    expect(subscriber.frames.slice(0, -1).map(({ epoch, offset }) => ({ epoch, offset }))).toEqual(positions)
    expect(positions.map(({ offset }) => offset)).toEqual(sent.map((_, index) => index + 1))
    expect(new Set(positions.map(({ epoch }) => epoch)).size).toBe(1)
    expect(new Set(subscriber.frames.map((frame) => frame.stream))).toEqual(new Set([stream]))
  })

  it('delivers to every subscriber', async () => {
    const engine = open()
    const stream = newStream()
    const subscribers = [await listen(engine, stream), await listen(engine, stream)]
    await engine.publish(stream, 'hello')
    for (const subscriber of subscribers) {
      await subscriber.until('hello')
      expect(subscriber.data()).toEqual(['hello'])
    }
  })

  it('numbers each stream separately', async () => {
    const engine = open()
    const [one, two] = [newStream(), newStream()]
    const subscriber = await listen(engine, one)
    expect(await engine.publish(two, 'not for you')).toMatchObject({ offset: 1 })
    expect(await engine.publish(one, 'for you')).toMatchObject({ offset: 1 })
    await subscriber.until('for you')
    expect(subscriber.data()).toEqual(['for you'])
  })

  it('delivers no messages from before the subscription', async () => {
    const engine = open()
    const stream = newStream()
    await engine.publish(stream, 'early')
    const subscriber = await listen(engine, stream)
    await engine.publish(stream, 'late')
    await subscriber.until('late')
    expect(subscriber.data()).toEqual(['late'])
    expect(subscriber.frames[0]?.offset).toBe(2)
  })

  it('ends one subscription and keeps the others', async () => {
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

  it('treats a listener that subscribes twice as two subscriptions', async () => {
    const engine = open()
    const stream = newStream()
    const received: string[] = []
    const listener = ({ data }: EngineFrame): unknown => received.push(data)
    const twice = await engine.subscribe(stream, listener)
    await engine.subscribe(stream, listener)
    twice.end()
    twice.end()
    const subscriber = await listen(engine, stream)
    await engine.publish(stream, 'hello')
    await subscriber.until('hello')
    expect(received).toEqual(['hello'])
  })

  it('continues if a listener throws', async () => {
    const engine = open()
    const stream = newStream()
    await engine.subscribe(stream, () => {
      throw new Error('a bug in the app')
    })
    const subscriber = await listen(engine, stream)
    await engine.publish(stream, 'one')
    await subscriber.until('one')
    expect(subscriber.data()).toEqual(['one'])
  })

  it('can subscribe again immediately after the last subscription ended', async () => {
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

  it('delivers any text, including a large one', async () => {
    const engine = open()
    const stream = `${newStream()} {a}:*}`
    const subscriber = await listen(engine, stream)
    const texts = ['', ' ', '1-2 3', '{"a":"ü🙂\\u0000"}', 'line\r\nbreak\0', 'x'.repeat(1_048_576), 'end']
    for (const text of texts) await engine.publish(stream, text)
    await subscriber.until('end')
    expect(subscriber.data()).toEqual(texts)
  })

  it('can be closed several times', async () => {
    const engine = open()
    await listen(engine, newStream())
    await Promise.all([engine.close(), engine.close()])
    expect(await engine.close()).toBeUndefined()
  })

  it('rejects a publish after it was closed', async () => {
    const engine = open()
    await engine.publish(newStream(), 'before')
    await engine.close()
    await expect(engine.publish(newStream(), 'after')).rejects.toThrow('The engine is closed')
  })
}

/** Additional guarantees of engines on one Redis. */
export function sharedContract(open: () => Engine): void {
  it('delivers messages between two engines', async () => {
    const [one, two] = [open(), open()]
    const stream = newStream()
    const subscribers = [await listen(one, stream), await listen(two, stream)]
    await one.publish(stream, 'from one')
    await two.publish(stream, 'from two')
    for (const subscriber of subscribers) {
      await subscriber.until('from two')
      expect(subscriber.data()).toEqual(['from one', 'from two'])
    }
  })

  it('delivers 1,000 messages of two publishers in the same order to all subscribers', async () => {
    const [one, two] = [open(), open()]
    const stream = newStream()
    const subscribers = await Promise.all([one, two, open()].map((engine) => listen(engine, stream)))
    const counts = Array.from({ length: 500 }, (_, count) => count)
    await Promise.all(
      counts.flatMap((count) => [one.publish(stream, `one ${count}`), two.publish(stream, `two ${count}`)]),
    )
    await open().publish(stream, 'end')

    await Promise.all(subscribers.map((subscriber) => subscriber.until('end')))
    const [order = []] = subscribers.map((subscriber) => subscriber.data())
    expect(order).toHaveLength(1_001)
    for (const subscriber of subscribers) {
      expect(subscriber.data()).toEqual(order)
      expectContiguous(subscriber.frames)
    }
    // The messages of each publisher stay in order.
    for (const name of ['one', 'two']) {
      expect(order.filter((data) => data.startsWith(name))).toEqual(counts.map((count) => `${name} ${count}`))
    }
  })

  it('delivers messages that were published just before it closed', async () => {
    const stream = newStream()
    const subscriber = await listen(open(), stream)
    const leaving = open()
    await leaving.publish(stream, 'first')
    const last = leaving.publish(stream, 'last')
    await leaving.close()
    await last
    await subscriber.until('last')
    expect(subscriber.data()).toEqual(['first', 'last'])
  })
}
