import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observeFetch } from './observe-fetch.ts'
import type { RunObserver } from './request-observer.ts'

const original = globalThis.fetch
const sent: Request[] = []
let respond = (): Response => new Response('ok')
let restore = (): void => {}
let observer: RunObserver | undefined
const copies: Response[] = []

beforeEach(() => {
  globalThis.fetch = async (input, init) => {
    sent.push(new Request(input, init))
    return respond()
  }
  observer = {
    onNestedRun: () => ({}) as RunObserver,
    onFetch: () => (copy) => void copies.push(copy),
    onLog() {},
    onChunk() {},
    onEnd() {},
  }
  restore = observeFetch(() => observer)
})
afterEach(() => {
  restore()
  globalThis.fetch = original
  sent.length = copies.length = 0
})

/** Creates a response that sends one chunk per read. */
function toChunks(chunks: readonly string[], onCancel: () => void = () => {}): Response {
  const rest = chunks.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = rest.next()
      if (done === true) controller.close()
      else controller.enqueue(new TextEncoder().encode(value))
    },
    cancel: onCancel,
  })
  return new Response(body, { headers: { 'content-type': 'text/plain' } })
}

describe('observeFetch', () => {
  it('copies a response with its chunks after the app has read it', async () => {
    respond = () => toChunks(['a', 'b'])
    const body = JSON.stringify({ n: 1 })
    const response = await fetch('https://model.example/chat', { method: 'POST', body })
    expect(copies).toEqual([])
    expect(await response.text()).toBe('ab')
    expect(await sent[0]?.json()).toEqual({ n: 1 })
    expect([copies[0]?.status, copies[0]?.headers.get('content-type')]).toEqual([200, 'text/plain'])
    const pieces: string[] = []
    for await (const piece of (copies[0]?.body ?? []) as AsyncIterable<Uint8Array>)
      pieces.push(String(Buffer.from(piece)))
    expect(pieces).toEqual(['a', 'b'])
  })

  it('sends the body of a Request that it has described', async () => {
    respond = () => new Response(null, { status: 204 })
    await fetch(new Request('https://model.example/chat', { method: 'POST', body: 'text' }))
    expect(await sent[0]?.text()).toBe('text')
    expect(copies.map(({ status }) => status)).toEqual([204])
  })

  it.each([
    ['a stream', () => new Response('text').body],
    [
      'an async iterable',
      () =>
        (async function* () {
          yield Buffer.from('text')
        })(),
    ],
  ])('does not read %s, which the app sends', async (_name, toBody) => {
    const init = { method: 'POST', body: toBody(), duplex: 'half' } as RequestInit
    await (await fetch('https://model.example/upload', init)).text()
    expect(await sent[0]?.text()).toBe('text')
    expect(copies).toEqual([])
  })

  it('cancels the response if the app does, and copies nothing', async () => {
    let isCancelled = false
    respond = () => toChunks(['a', 'b', 'c', 'd', 'e'], () => (isCancelled = true))
    const response = await fetch('https://model.example/chat')
    await response.body?.cancel()
    expect([isCancelled, copies.length]).toEqual([true, 0])
  })

  it('copies no response that is too large', async () => {
    respond = () => toChunks(['x'.repeat(600_000), 'y'.repeat(600_000)])
    expect((await (await fetch('https://model.example/big')).text()).length).toBe(1_200_000)
    expect(copies).toEqual([])
  })

  it.each(['http://127.0.0.1:9/x', 'http://localhost:9/x'])('does not observe %s', async (url) => {
    respond = () => new Response('ok')
    await (await fetch(url)).text()
    expect([sent.length, copies.length]).toEqual([1, 0])
  })

  it('does not observe code outside of runs, and restores fetch', async () => {
    observer = undefined
    respond = () => new Response('ok')
    await (await fetch('https://model.example/chat')).text()
    expect([sent.length, copies.length]).toEqual([1, 0])
    const { fetch: observed } = globalThis
    restore()
    expect(globalThis.fetch).not.toBe(observed)
  })
})
