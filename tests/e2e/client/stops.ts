import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { at, type Component } from './page.ts'
import { createGate, type Visit } from './server.ts'
import type { Stage } from './stage.ts'

/** Tests that the server is notified of cancelled requests, and that writes are completed. */
export function testCancellation(stage: Stage): void {
  it('aborts a stream on cancel() and keeps its chunks', async () => {
    const { actor, place } = stage
    const visits = place.handle('POST words', endless)
    await actor.show(at('a', 'POST words'))
    await actor.call('a', 'invoke', 'x')
    await actor.until('a', { data: ['x 1', 'x 2'], isStreaming: true })
    expect(visits).toMatchObject([{ isGone: false }])
    await actor.call('a', 'cancel')
    await actor.until('a', { status: 'idle', data: ['x 1', 'x 2'], isStreaming: false, code: null })
    await soon(() => expect(visits).toMatchObject([{ isGone: true }]))
    await soon(async () => expect(await actor.read('outcomes', 'a')).toContainEqual({ failed: 'AbortError' }))
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 0, error: 0 })
  })

  it('aborts a stream when its component unmounts', async () => {
    const { actor, place } = stage
    const visits = place.handle('POST words', endless)
    await actor.show(at('a', 'POST words'))
    await actor.call('a', 'invoke', 'x')
    await actor.until('a', { chunks: 2, isStreaming: true })
    await actor.show()
    await soon(() => expect(visits).toMatchObject([{ isGone: true }]))
  })

  it('aborts a stream when the next one starts', async () => {
    const { actor, place } = stage
    const visits = place.handle('POST words', endless)
    await actor.show(at('a', 'POST words'))
    await actor.call('a', 'invoke', 'x')
    await actor.until('a', { data: ['x 1', 'x 2'], isStreaming: true })
    await actor.call('a', 'invoke', 'y')
    await actor.until('a', { data: ['y 1', 'y 2'], isStreaming: true })
    await soon(() => expect(visits).toMatchObject([{ isGone: true }, { isGone: false }]))
    expect(await actor.see('a')).toMatchObject({ status: 'loading', data: ['y 1', 'y 2'] })
  })

  it('aborts an outdated request and never shows its data', async () => {
    const { actor, place } = stage
    const [slow, fast] = [createGate(), createGate()]
    const visits = place.handle('GET item', async ({ query }) => {
      await (query['id'] === '1' ? slow : fast).opened
      return `item ${query['id']}`
    })
    await actor.show(item(1))
    await soon(() => expect(visits).toHaveLength(1))
    await actor.show(item(2))
    await soon(() => expect(visits).toMatchObject([{ isGone: true }, { isGone: false }]))
    slow.open()
    fast.open()
    await actor.until('a', { data: 'item 2', isFetching: false })
    await actor.show(item(2), { ...item(3), name: 'b' })
    await actor.until('b', { data: 'item 3' })
    const shown = (await actor.read('history', 'a')).map(({ data }) => data)
    expect(new Set(shown)).toEqual(new Set([undefined, 'item 2']))
    expect(visits.map(({ query }) => query['id'])).toEqual(['1', '2', '3'])
  })

  it('completes a plain POST after its component unmounted', async () => {
    const { actor, place } = stage
    const gate = createGate()
    const visits = place.handle('POST order', async ({ input }) => {
      await gate.opened
      return `done: ${String(input)}`
    })
    await actor.show(at('a', 'POST order'))
    await actor.call('a', 'invoke', 'tea')
    await soon(() => expect(visits).toHaveLength(1))
    await actor.show()
    await actor.run(() => fetch('/').then((response) => response.text()), null)
    gate.open()
    await soon(async () => expect(await actor.read('outcomes', 'a')).toEqual(['done: tea']))
    expect(visits).toMatchObject([{ input: 'tea', isGone: false }])
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 1, error: 0 })
  })
}

function item(id: number): Component {
  return at('a', 'GET item', { query: { id } })
}

async function* endless({ input }: Visit): AsyncGenerator<string> {
  yield `${String(input)} 1`
  yield `${String(input)} 2`
  await new Promise(() => {})
}
