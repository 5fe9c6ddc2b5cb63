import { Socket } from 'node:net'
import type { Engine, EngineFrame, Log } from '@sdk/server'
import { hasRedis, type Service, startRedis } from '@sdk/test-kit'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { redisEngine, type RedisEngineOptions } from './redis-engine.ts'

// tests/contract covers all engines; these tests cover the details of Redis.

describe('redisEngine', () => {
  it('throws without exposing the password if the URL is not a Redis URL', () => {
    expect(() => redisEngine('postgres://ada:secret@localhost')).toThrow(TypeError)
    expect(() => redisEngine('postgres://ada:secret@localhost')).not.toThrow('secret')
  })
})

describe.skipIf(!hasRedis())('redisEngine on a real Redis', () => {
  let service: Service
  let admin: Redis
  const opened: Engine[] = []

  beforeEach(async () => {
    service = await startRedis()
    admin = new Redis(service.url)
    admin.on('error', () => undefined)
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((engine) => engine.close()))
    admin.disconnect()
    await service.stop()
  })

  function open(options: RedisEngineOptions = {}): Engine {
    const engine = redisEngine(service.url, { log: createSilentLog(), ...options })
    opened.push(engine)
    return engine
  }

  it('starts a new epoch after Redis was flushed and still delivers messages', async () => {
    const engine = open()
    const frames = await listen(engine, 'lobby')
    const before = await engine.publish('lobby', 'before')
    await admin.flushall()
    const after = await engine.publish('lobby', 'after')

    expect(after.offset).toBe(1)
    expect(Number(after.epoch)).toBeGreaterThan(Number(before.epoch))
    await expect.poll(() => dataOf(frames)).toEqual(['before', 'after'])
  })

  it('starts a new epoch after Redis restarted with older data and still delivers messages', async () => {
    const engine = open()
    const frames = await listen(engine, 'lobby')
    await engine.publish('lobby', 'saved')
    await admin.config('SET', 'appendonly', 'no')
    const lost = await engine.publish('lobby', 'not saved')
    await expect.poll(() => dataOf(frames)).toEqual(['saved', 'not saved'])

    await service.kill()
    await service.start()
    await expect.poll(() => admin.hget('{sdk:lobby}:head', 'offset')).toBe('1')
    const after = await retry(() => engine.publish('lobby', 'after'))

    expect(after.epoch).not.toBe(lost.epoch)
    await expect.poll(() => dataOf(frames)).toEqual(['saved', 'not saved', 'after'])
  })

  it('rejects immediately while Redis is down, without waiting for the next attempt to connect', async () => {
    const engine = open()
    await engine.kv.set('place', 'here')
    await service.kill()
    const later = (): Promise<string> => new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'waits')))
    const request = (): Promise<unknown> => Promise.race([engine.kv.get('place').catch(() => 'refused'), later()])
    await expect.poll(request).toBe('refused')
    // Every request is rejected, both between and during connection attempts.
    for (let count = 0; count < 50; count += 1) {
      expect(await request()).toBe('refused')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await service.start()
    await expect.poll(() => engine.kv.get('place').catch(String)).toBe('here')
  })

  it('fails its check with a cause while Redis is out of memory', async () => {
    const engine = open()
    await engine.check?.()
    await admin.config('SET', 'maxmemory', '1')
    const refused = { code: 'SERVICE_UNAVAILABLE', message: 'Redis rejected the command', cause: expect.any(Error) }
    await expect(engine.check?.()).rejects.toMatchObject(refused)
    await admin.config('SET', 'maxmemory', '0')
    await engine.check?.()
  })

  it('limits the history by keep and keepFor', async () => {
    const engine = open({ keep: 100, keepFor: 60 })
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => engine.publish('lobby', `${index}`)))
    const length = await admin.xlen('{sdk:lobby}:messages')
    expect(length).toBeGreaterThanOrEqual(100)
    expect(length).toBeLessThanOrEqual(200) // Redis drops whole nodes of 100 entries
    const [history, head] = [await admin.ttl('{sdk:lobby}:messages'), await admin.ttl('{sdk:lobby}:head')]
    expect(history).toBeGreaterThan(0)
    expect(history).toBeLessThanOrEqual(60)
    expect(head).toBeGreaterThan(history)
  })

  it('keeps the keys of a stream in one slot of a cluster', async () => {
    const engine = open()
    const streams = ['lobby', '', '{}', '}{', 'a}b']
    for (const stream of streams) await engine.publish(stream, 'hello')
    const keys = new Set(await admin.keys('*'))
    for (const stream of streams) {
      const [head, messages] = [`{sdk:${stream}}:head`, `{sdk:${stream}}:messages`]
      expect([keys.has(head), keys.has(messages)]).toEqual([true, true])
      expect(hashTag(head)).not.toBe('')
      expect(hashTag(head)).toBe(hashTag(messages))
    }
  })

  it('separates services by their prefix', async () => {
    const [ours, theirs] = [open(), open({ prefix: 'theirs' })]
    const frames = await listen(ours, 'lobby')
    await theirs.publish('lobby', 'not for us')
    await ours.publish('lobby', 'for us')
    await expect.poll(() => dataOf(frames)).toEqual(['for us'])
  })

  it('separates values by the prefix and lets Redis expire them', async () => {
    const [ours, theirs] = [open(), open({ prefix: 'theirs' })]
    await ours.kv.set('cup', 'tea', { ttl: 60 })
    await ours.kv.increment('sum', 1, { ttl: 60 })
    expect(await theirs.kv.get('cup')).toBeNull()
    expect((await admin.keys('*')).toSorted()).toEqual(['{sdk:cup}:value', '{sdk:sum}:value'])
    for (const key of ['cup', 'sum']) {
      const ttl = await admin.pttl(`{sdk:${key}}:value`)
      expect(ttl).toBeGreaterThan(30_000)
      expect(ttl).toBeLessThanOrEqual(60_000)
    }
  })

  it('reports a gap for a position from before Redis was flushed or restarted', async () => {
    const engine = open()
    const first = await engine.publish('lobby', 'one')
    expect(await engine.history('lobby', first, 10)).toEqual([])
    await admin.flushall()
    expect(await engine.history('lobby', first, 10)).toBe('gap')
    const second = await engine.publish('lobby', 'two')
    expect(await engine.history('lobby', first, 10)).toBe('gap')
    expect(await engine.history('lobby', second, 10)).toEqual([])

    // Unsaved messages may have been lost, so a gap is reported.
    await service.kill()
    await service.start()
    expect(await retry(() => engine.history('lobby', second, 10))).toBe('gap')
    const { from } = await engine.subscribe('lobby', () => undefined)
    expect(from.offset).toBe(0)
    await engine.publish('lobby', 'three')
    expect(await engine.history('lobby', from, 10)).toMatchObject([{ offset: 1, data: 'three' }])
  })

  it('reports a gap if the messages have expired but their stream has not', async () => {
    const engine = open()
    const { from } = await engine.subscribe('lobby', () => undefined)
    const place = await engine.publish('lobby', 'one')
    await admin.del('{sdk:lobby}:messages')
    expect(await engine.history('lobby', from, 10)).toBe('gap')
    expect(await engine.history('lobby', place, 10)).toEqual([])
  })

  it('joins rooms again after Redis was flushed, and removes empty rooms', async () => {
    const engine = open({ lease: 0.3 })
    await engine.presence.join('lobby', { id: 'ada', data: '{}' })
    await engine.presence.join('lobby', { id: 'grace', data: '{}' })
    for (let times = 0; times < 3; times += 1) {
      await admin.flushall()
      await expect.poll(() => idsIn(engine, 'lobby')).toEqual(['ada', 'grace'])
    }
    await engine.presence.leave('lobby', 'ada')
    await engine.presence.leave('lobby', 'grace')
    await expect.poll(() => admin.keys('*')).toEqual([])
  })

  it('joins rooms again after Redis restarted with older data', async () => {
    const engine = open({ lease: 6 })
    await engine.presence.join('lobby', { id: 'ada', data: '{}' })
    await admin.config('SET', 'appendonly', 'no')
    await engine.presence.join('lobby', { id: 'grace', data: '{}' })
    await service.kill()
    await service.start()
    await expect.poll(() => admin.hlen('{sdk:lobby}:members').catch(String)).toBe(1)
    await expect.poll(() => idsIn(engine, 'lobby').catch(String)).toEqual(['ada', 'grace'])
  })

  it('keeps the members of a room for 15 s and a session for an hour', async () => {
    const engine = open()
    await engine.presence.join('lobby', { id: 'ada', data: '{}' })
    await engine.sequence.set('session', 3)
    const keys = ['{sdk:lobby}:leases', '{sdk:lobby}:members', '{sdk:session}:sequence']
    expect((await admin.keys('*')).toSorted()).toEqual(keys)
    const [leases = 0, members = 0, sequence = 0] = await Promise.all(keys.map((key) => admin.pttl(key)))
    for (const ttl of [leases, members]) expect([ttl > 10_000, ttl <= 15_000]).toEqual([true, true])
    expect([sequence > 3_590_000, sequence <= 3_600_000]).toEqual([true, true])
  })

  it('saves the numbers of many sessions in one round trip', async () => {
    const engine = open()
    await engine.sequence.set('warm', 1)
    const writes = vi.spyOn(Socket.prototype, 'write')
    await Promise.all(Array.from({ length: 100 }, async (_, index) => engine.sequence.set(`session ${index}`, index)))
    const port = Number(new URL(service.url).port)
    const toRedis = writes.mock.contexts.filter((socket) => (socket as Socket).remotePort === port)
    expect(toRedis).toHaveLength(1)
    expect(await engine.sequence.get('session 99')).toBe(99)
  })

  it('saves a number that was set just before it closed', async () => {
    const engine = open()
    const setting = engine.sequence.set('session', 7)
    await engine.close()
    await setting
    expect(await admin.get('{sdk:session}:sequence')).toBe('7')
    await expect(engine.sequence.set('session', 8)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('logs an error and continues if a listener throws', async () => {
    const log = createSilentLog()
    const engine = open({ log })
    await engine.subscribe('lobby', () => {
      throw new Error('a bug in the app')
    })
    const frames = await listen(engine, 'lobby')
    await engine.publish('lobby', 'one')
    await engine.publish('lobby', 'two')
    await expect.poll(() => dataOf(frames)).toEqual(['one', 'two'])
    expect(log.error).toHaveBeenCalledWith(
      'engine listener failed',
      expect.objectContaining({ stream: 'lobby', error: 'a bug in the app' }),
    )
  })

  it('unsubscribes from the channel with the last listener', async () => {
    const engine = open()
    const { end } = await engine.subscribe('lobby', () => undefined)
    expect(await admin.pubsub('CHANNELS')).toEqual(['{sdk:lobby}:messages'])
    end()
    await expect.poll(() => admin.pubsub('CHANNELS')).toEqual([])
  })

  it('logs one line per connection when Redis goes down and one when it is back', async () => {
    const log = createSilentLog()
    const engine = open({ log })
    await engine.subscribe('lobby', () => undefined)
    await service.kill()
    await expect(engine.publish('lobby', 'lost')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    const warnings = (): string[] => vi.mocked(log.warn).mock.calls.map(([message]) => message)
    await expect.poll(warnings).toEqual(['Redis is unreachable', 'Redis is unreachable'])
    await service.start()
    await expect.poll(() => vi.mocked(log.info).mock.calls.length).toBe(2)
    // Further connection attempts have logged nothing.
    expect(warnings()).toHaveLength(2)
  })
})

async function listen(engine: Engine, stream: string): Promise<EngineFrame[]> {
  const frames: EngineFrame[] = []
  await engine.subscribe(stream, (frame) => frames.push(frame))
  return frames
}

async function idsIn(engine: Engine, room: string): Promise<string[]> {
  return (await engine.presence.list(room)).map(({ id }) => id)
}

function dataOf(frames: readonly EngineFrame[]): string[] {
  return frames.map((frame) => frame.data)
}

/** Returns the hash tag of a key in Redis Cluster: the text between the first pair of braces. */
function hashTag(key: string): string {
  return /\{([^}]*)\}/.exec(key)?.[1] ?? ''
}

async function retry<T>(task: () => Promise<T>): Promise<T> {
  return vi.waitFor(task, { timeout: 30_000 })
}

function createSilentLog(): Log {
  const line = () => vi.fn<Log['info']>()
  return { debug: line(), info: line(), warn: line(), error: line() }
}
