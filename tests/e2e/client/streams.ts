import { ApiError } from '@sdk/server'
import { expect, it } from 'vitest'
import { at } from './page.ts'
import { createGate } from './server.ts'
import type { Stage } from './stage.ts'

/** Tests that chunks are shown as they arrive, and are kept. */
export function testStreams(stage: Stage): void {
  it.each([
    { kind: 'JSON lines', options: {}, chunks: [{ word: 'schön' }, { word: 'two\nlines' }, 3] },
    {
      kind: 'server-sent events',
      options: { headers: { accept: 'text/event-stream' } },
      chunks: [{ word: 'schön' }, { word: 'two\nlines' }, 3],
    },
  ])('shows $kind before the stream ends', async ({ options, chunks }) => {
    const { actor, place } = stage
    const gate = createGate()
    place.handle('POST words', async function* words() {
      yield chunks[0]
      await gate.opened
      yield* chunks.slice(1)
    })
    await actor.show(at('a', 'POST words', options))
    await actor.click('a')
    await actor.until('a', { data: chunks.slice(0, 1), chunks: 1, isStreaming: true, isLoading: true })
    gate.open()
    await actor.until('a', { status: 'success', data: chunks, chunks: 3, isStreaming: false, isLoading: false })
    expect(await actor.read('received', 'a')).toEqual(chunks)
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 1, error: 0 })
  })

  it('splits text by its delimiter and shows it before the stream ends', async () => {
    const { actor, place } = stage
    const gate = createGate()
    place.handle('GET words', () => {
      const encoder = new TextEncoder()
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(encoder.encode('schön--{"n":2}-'))
          await gate.opened
          controller.enqueue(encoder.encode('-no delimiter'))
          controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    })
    await actor.show(at('a', 'GET words', { delimiter: '--' }))
    await actor.until('a', { data: ['schön'], isStreaming: true })
    gate.open()
    await actor.until('a', { data: ['schön', { n: 2 }, 'no delimiter'], isStreaming: false, status: 'success' })
    expect(await actor.read('received', 'a')).toEqual(['schön', { n: 2 }, 'no delimiter'])
  })

  it('keeps the chunks of a failed stream and shows the error', async () => {
    const { actor, place } = stage
    const gate = createGate()
    place.handle('POST words', async function* words() {
      yield 'one'
      yield 'two'
      await gate.opened
      throw new ApiError('CONFLICT', 'There are no more words')
    })
    await actor.show(at('a', 'POST words'))
    await actor.click('a')
    await actor.until('a', { data: ['one', 'two'], isStreaming: true })
    gate.open()
    await actor.until('a', { status: 'error', code: 'CONFLICT', data: ['one', 'two'], isStreaming: false })
    expect(await actor.read('received', 'a')).toEqual(['one', 'two'])
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 0, error: 1 })
  })
}
