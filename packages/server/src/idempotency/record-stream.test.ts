import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Reply } from '../http/reply.ts'
import { openChunks, type ReplyStream } from '../http/reply-stream.ts'
import { toResponse } from '../app/fetch-adapter.ts'
import { createIdempotency, type KeyedRequest } from './idempotency.ts'
import type { Log } from '../log/log.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { recordStream } from './record-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('recordStream', () => {
  it.each([
    ['its end', streaming(['one'])],
    ['its failure', streaming(failing('one'))],
  ])('emits %s only after ended has resolved', async (_name, { body }) => {
    const order: string[] = []
    const ended = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
      order.push('ended')
    }
    const { signal } = new AbortController()
    const source = openChunks(recordStream(body as ReplyStream, { limit: 100, signal, ended }))
    await source.next()
    await Promise.resolve(source.next()).catch(() => undefined)
    order.push('emitted')
    expect(order).toEqual(['ended', 'emitted'])
  })

  it('stores a copy of the bytes that were sent', async () => {
    const [bytes, { signal }] = [Uint8Array.of(1), new AbortController()]
    const { body } = streaming([bytes])
    const ended = vi.fn<(pieces: unknown) => Promise<void>>(async () => {})
    const recorded = recordStream(body as ReplyStream, { limit: 100, signal, ended })
    const source = openChunks(recorded)
    await recorded.encode((await source.next()).value)
    bytes[0] = 2 // the source reuses its memory
    await source.next()
    expect(ended).toHaveBeenCalledExactlyOnceWith([Uint8Array.of(1)])
  })
})

describe('recordStream with idempotency keys', () => {
  it('replays the bytes that were sent', async () => {
    const { run, execute } = create()
    execute.mockImplementation(() => streaming(['one\n', Uint8Array.of(0xff, 0), 'ü']))
    const first = await toResponse(await run(), 'POST').bytes()
    const second = await run()
    expect(second.headers).toEqual({ 'content-type': 'text/x', 'idempotent-replayed': 'true' })
    expect(await toResponse(second, 'POST').bytes()).toEqual(first)
    expect(first).toEqual(Uint8Array.of(111, 110, 101, 10, 0xff, 0, 0xc3, 0xbc))
    expect(execute).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('holds the key until the stream ends', async () => {
    const { run, execute } = create()
    execute.mockImplementation(() => streaming(['one', 'two']))
    const reader = reading(await run())
    expect(await reader.next()).toBe('one')
    await vi.advanceTimersByTimeAsync(120_000)
    await expect(run()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    expect([await reader.next(), await reader.next()]).toEqual(['two', undefined])
    expect((await run()).body).toBe('onetwo')
  })

  it('releases the key if the stream or the encoding of a chunk fails', async () => {
    const { run, execute } = create()
    execute.mockImplementationOnce(() => streaming(failing('one')))
    expect(await toResponse(await run(), 'POST').text()).toBe('one[no more tea]')
    execute.mockImplementationOnce(() => streaming(['one', 'unwritable']))
    expect(await toResponse(await run(), 'POST').text()).toBe('one[cannot be written]')
    execute.mockImplementationOnce(() => streaming(['two']))
    expect(await toResponse(await run(), 'POST').text()).toBe('two')
    expect(execute).toHaveBeenCalledTimes(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('releases the key and ends the source if the client disconnects', async () => {
    const { run, execute } = create()
    const ended = vi.fn<() => void>()
    execute.mockImplementationOnce(() => streaming(endless(ended)))
    const reader = reading(await run())
    await reader.next()
    await reader.cancel()
    expect(ended).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
    expect(await run()).toEqual(created())
  })

  it('stores nothing if the source ends because the client disconnected', async () => {
    const { run, execute } = create()
    const caller = new AbortController()
    async function* polite(): AsyncGenerator<string> {
      yield 'one'
      caller.abort()
      if (!caller.signal.aborted) yield 'two'
    }
    execute.mockImplementationOnce(() => streaming(polite()))
    expect(await toResponse(await run({ signal: caller.signal }), 'POST').text()).toBe('one')
    expect(await run()).toEqual(created())
  })

  it('releases the key if the client disconnected before the stream started', async () => {
    const { run, execute } = create()
    execute.mockImplementationOnce(() => streaming(['one']))
    await run({ signal: AbortSignal.abort() }) // not read
    expect(await run()).toEqual(created())
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends a stream over 1 MiB, but does not store it and logs one warning', async () => {
    const { run, execute, warn } = create()
    execute.mockImplementation(() => streaming(Array.from({ length: 30 }, () => 'x'.repeat(100_000))))
    expect(await toResponse(await run(), 'POST').text()).toHaveLength(3_000_000)
    expect(warn).toHaveBeenCalledTimes(1)
    await toResponse(await run(), 'POST').text()
    expect(execute).toHaveBeenCalledTimes(2)
  })
})

function create() {
  const warn = vi.fn<Log['warn']>()
  const log: Log = { debug: () => {}, info: () => {}, warn, error: () => {} }
  const idempotency = createIdempotency(memoryEngine(), { log })
  const execute = vi.fn<() => Reply>(() => created())
  const { signal } = new AbortController()
  const request: KeyedRequest = {
    principal: 'ada',
    owner: 'ada',
    method: 'POST',
    path: '/',
    key: 'key',
    body: {},
    signal,
  }
  return {
    warn,
    execute,
    run: (other: Partial<KeyedRequest> = {}) => idempotency.run({ ...request, ...other }, execute),
  }
}

function created(): Reply {
  return { status: 201, headers: {}, body: '{"id":7}' }
}

function streaming(chunks: ReplyStream['chunks']): Reply {
  const encode = (chunk: unknown): string | Uint8Array => {
    if (chunk === 'unwritable') throw new Error('cannot be written')
    return chunk instanceof Uint8Array ? chunk : String(chunk)
  }
  const encodeError = (thrown: unknown): string => `[${thrown instanceof Error ? thrown.message : ''}]`
  return { status: 200, headers: { 'content-type': 'text/x' }, body: { chunks, encode, encodeError } }
}

async function* failing(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
  throw new Error('no more tea')
}

async function* endless(ended: () => void): AsyncGenerator<string> {
  try {
    for (;;) yield 'more'
  } finally {
    ended()
  }
}

function reading(reply: Reply) {
  const reader = toResponse(reply, 'POST').body?.getReader()
  const decoder = new TextDecoder()
  return {
    async next(): Promise<string | undefined> {
      const { value } = (await reader?.read()) ?? {}
      return value === undefined ? undefined : decoder.decode(value)
    },
    cancel: async () => reader?.cancel(),
  }
}
