import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Reply } from '../http/reply.ts'
import type { Engine } from '../engine/engine.ts'
import { createIdempotency, type Idempotency, type KeyedRequest } from './idempotency.ts'
import type { Log } from '../log/log.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createMemoryKv } from '../engine/memory-kv.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('createIdempotency', () => {
  it('runs the handler once and replays its response', async () => {
    const { run, execute } = create()
    execute.mockResolvedValue(created({ location: '/api/v1/tasks/7', 'set-cookie': ['a=1'] }))
    const first = await run()
    expect(first).toEqual(created({ location: '/api/v1/tasks/7', 'set-cookie': ['a=1'] }))
    Object.assign(first.headers, { 'x-request-id': 'as the app does' })
    const headers = { 'content-type': 'application/json', location: '/api/v1/tasks/7', 'idempotent-replayed': 'true' }
    expect(await run()).toEqual({ status: 201, headers, body: '{"id":7}' })
    expect(await run({ body: { b: 2, a: 1 } })).toEqual({ status: 201, headers, body: '{"id":7}' })
    expect(execute).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects the key with another body', async () => {
    const { run, execute } = create()
    await run()
    for (const body of [{ a: 1 }, { a: 1, b: 3 }, undefined, []])
      await expect(run({ body })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('separates keys by user, method and path', async () => {
    const { run, execute } = create()
    await run()
    await run({ principal: 'user 2' })
    await run({ method: 'PUT' })
    await run({ path: '/api/v1/tasks/1' })
    await run({ key: 'another' })
    await run({ principal: 'user 1","POST', method: '' })
    expect(execute).toHaveBeenCalledTimes(6)
  })

  it('runs one of 50 concurrent requests and rejects the others with 409', async () => {
    const { run, execute } = create()
    const work = defer<Reply>()
    execute.mockReturnValue(work.promise)
    const responses: Reply[] = []
    const refused: unknown[] = []
    const running = Array.from({ length: 50 }, () =>
      run().then(
        (reply) => responses.push(reply),
        (error) => refused.push(error),
      ),
    )
    await expect.poll(() => refused.length).toBe(49)
    for (const error of refused)
      expect(error).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE', status: 409, retryAfter: 1 })
    await expect(run({ body: 'another' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    work.resolve(created())
    await Promise.all(running)
    expect(responses).toEqual([created()])
    expect(execute).toHaveBeenCalledTimes(1)
    expect((await run()).headers).toHaveProperty('idempotent-replayed')
  })

  it('keeps the responses of all users, even if one fills the store', async () => {
    const kv = createMemoryKv({ now: () => 0, maxSize: 100_000 })
    const { run, execute, log } = create({ engine: { ...memoryEngine(), kv } })
    await run({ owner: 'ada' })
    execute.mockImplementation(() => ({ ...created(), body: 'x'.repeat(1_000) }))
    // From one address, with a different principal each time.
    for (let index = 0; index < 200; index += 1)
      await run({ owner: '192.0.2.1', principal: `guest ${index}`, key: `key ${index}` })
    await run({ owner: 'bob', principal: 'user 2' })
    expect(execute).toHaveBeenCalledTimes(202)
    await run({ owner: 'ada' })
    await run({ owner: 'bob', principal: 'user 2' })
    await run({ owner: '192.0.2.1', principal: 'guest 199', key: 'key 199' })
    expect(execute).toHaveBeenCalledTimes(202)
    await run({ owner: '192.0.2.1', principal: 'guest 0', key: 'key 0' })
    expect(execute).toHaveBeenCalledTimes(203)
    await kv.set('mine', 'x'.repeat(40_000))
    expect(log.error).not.toHaveBeenCalled()
  })

  it('keeps a response for 24 hours', async () => {
    const { run, execute } = create()
    await run()
    vi.advanceTimersByTime(86_399_999)
    expect((await run()).headers).toHaveProperty('idempotent-replayed')
    vi.advanceTimersByTime(1)
    expect((await run()).headers).not.toHaveProperty('idempotent-replayed')
    expect(execute).toHaveBeenCalledTimes(2)
  })

  it('releases the key if the handler fails, with a response or with an error', async () => {
    const { run, execute } = create()
    execute.mockResolvedValueOnce({ status: 404, headers: {}, body: null })
    expect((await run()).status).toBe(404)
    execute.mockRejectedValueOnce(new Error('no more tea'))
    await expect(run()).rejects.toThrow('no more tea')
    execute.mockImplementationOnce(() => {
      throw new Error('no cups')
    })
    await expect(run({ body: 'another' })).rejects.toThrow('no cups')
    expect(vi.getTimerCount()).toBe(0)
    expect((await run()).status).toBe(201)
    expect(execute).toHaveBeenCalledTimes(4)
  })

  it('holds the key while the handler runs, for up to one hour', async () => {
    const { run, execute, log } = create()
    const { first, work } = await begin(execute, run)
    await vi.advanceTimersByTimeAsync(3_600_000)
    await expect(run()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(await run()).toEqual(created())
    work.resolve(created({ late: 'yes' }))
    expect((await first).headers).toHaveProperty('late')
    expect((await run()).headers).not.toHaveProperty('late')
    expect(log.warn).toHaveBeenCalledWith(expect.stringContaining('lost while its request was running'))
  })

  it('releases the key of a process that crashed', async () => {
    const engine = memoryEngine()
    const [dead, alive] = [create({ engine }), create({ engine })]
    await begin(dead.execute, dead.run)
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(alive.run()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    const now = Date.now()
    vi.clearAllTimers() // the process stops renewing its lease
    vi.setSystemTime(now)
    await vi.advanceTimersByTimeAsync(29_999)
    await expect(alive.run()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    await vi.advanceTimersByTimeAsync(1)
    expect(await alive.run()).toEqual(created())
    expect(alive.execute).toHaveBeenCalledTimes(1)
  })

  it('rejects with 503 and does not run the handler while the store is unavailable', async () => {
    const { run, execute } = create({ engine: brokenEngine(['compareAndSet', 'get']) })
    await expect(run()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, retryAfter: 1 })
    const half = create({ engine: brokenEngine(['get']) })
    await half.run()
    await expect(half.run()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect([execute.mock.calls.length, half.execute.mock.calls.length]).toEqual([0, 1])
  })

  it('returns the response and logs an error if the store fails while the handler runs', async () => {
    const engine = memoryEngine()
    const { run, execute, log } = create({ engine })
    execute.mockImplementation(async () => {
      vi.spyOn(engine.kv, 'compareAndSet').mockRejectedValue(new Error('gone'))
      return created()
    })
    expect(await run()).toEqual(created())
    expect(log.error).toHaveBeenCalledWith(
      'response could not be stored for its idempotency key',
      expect.objectContaining({ error: 'gone' }),
    )
    expect(vi.getTimerCount()).toBe(0)
    vi.mocked(engine.kv.compareAndSet).mockRestore()
    await expect(run()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    vi.advanceTimersByTime(30_000)
    expect(await run()).toEqual(created())
  })

  it('keeps the key if the store is unavailable for a while', async () => {
    const engine = memoryEngine()
    const { run, execute } = create({ engine })
    const { first, work } = await begin(execute, run)
    const compareAndSet = vi.spyOn(engine.kv, 'compareAndSet')
    for (let times = 0; times < 3; times += 1) compareAndSet.mockRejectedValueOnce(new Error('gone'))
    await vi.advanceTimersByTimeAsync(50_000)
    work.resolve(created())
    await first
    expect((await run()).headers).toHaveProperty('idempotent-replayed')
  })

  it('sends a response over 1 MiB, but does not store it and logs a warning', async () => {
    const { run, execute, log } = create()
    for (const body of ['x'.repeat(1_048_577), 'ü'.repeat(524_289), new Uint8Array(1_000_000).fill(0xff)]) {
      execute.mockResolvedValueOnce({ status: 200, headers: {}, body })
      expect((await run()).body).toBe(body)
    }
    expect(execute).toHaveBeenCalledTimes(3)
    expect(log.warn).toHaveBeenCalledTimes(3)
    expect(log.warn).toHaveBeenCalledWith(expect.stringContaining('over 1 MiB'), {
      method: 'POST',
      path: '/api/v1/tasks',
    })
    const fitting = 'x'.repeat(1_048_000)
    execute.mockResolvedValueOnce({ status: 200, headers: {}, body: fitting })
    await run()
    expect((await run()).body).toBe(fitting)
  })
})

function create({ engine = memoryEngine() }: { engine?: Engine } = {}) {
  const log = {
    debug: vi.fn<Log['debug']>(),
    info: vi.fn<Log['info']>(),
    warn: vi.fn<Log['warn']>(),
    error: vi.fn<Log['error']>(),
  }
  const idempotency: Idempotency = createIdempotency(engine, { log })
  const execute = vi.fn<() => Reply | Promise<Reply>>(() => created())
  const request: KeyedRequest = {
    principal: 'user 1',
    owner: 'user 1',
    method: 'POST',
    path: '/api/v1/tasks',
    key: 'key',
    body: { a: 1, b: 2 },
    signal: new AbortController().signal,
  }
  return {
    log,
    execute,
    run: (other: Partial<KeyedRequest> = {}) => idempotency.run({ ...request, ...other }, execute),
  }
}

/** Runs until the work has started; `work.resolve` ends it. */
async function begin(execute: ReturnType<typeof create>['execute'], run: () => Promise<Reply>) {
  const [begun, work] = [defer<void>(), defer<Reply>()]
  execute.mockImplementationOnce(() => {
    begun.resolve()
    return work.promise
  })
  const first = run()
  await begun.promise
  return { first, work }
}

function created(headers: Reply['headers'] = {}): Reply {
  return { status: 201, headers: { 'content-type': 'application/json', ...headers }, body: '{"id":7}' }
}

/** Creates an engine whose store rejects in the given methods. */
function brokenEngine(methods: readonly ('get' | 'compareAndSet')[]): Engine {
  const engine = memoryEngine()
  for (const method of methods) vi.spyOn(engine.kv, method).mockRejectedValue(new Error('gone'))
  return engine
}

function defer<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((yes) => (resolve = yes))
  return { promise, resolve }
}
