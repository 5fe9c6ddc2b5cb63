import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Engine } from '@sdk/server'
import { freePort, type Service, spawnNode } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectUnavailable, persist } from './availability.ts'
import { DRIVERS } from './drivers.ts'
import { listen } from './listen.ts'
import type { DriverOptions } from './open-engine.ts'
import { openBy } from './opened-engines.ts'
import { keepLarge, findExisting } from './owner-contract.ts'

describe.each(DRIVERS)('$name with a server that is killed', (driver) => {
  let server: Service
  beforeEach(async () => {
    server = await driver.start()
  })
  afterEach(() => server.stop())

  const open = (options: DriverOptions = {}): Engine => openBy(driver, server.url, options)

  it('rejects a publish while it is down, and continues when it is back', async () => {
    const [writer, reader] = [open(), open()]
    const subscribers = [await listen(writer, 'lobby'), await listen(reader, 'lobby')]
    await writer.publish('lobby', 'before')

    await server.kill()
    await expectUnavailable(writer.publish('lobby', 'lost'))
    await expectUnavailable(reader.publish('lobby', 'lost'))

    await server.start()
    await persist(() => writer.publish('lobby', 'after'))
    for (const subscriber of subscribers) {
      await subscriber.until('after')
      expect(subscriber.data()).toEqual(['before', 'after'])
    }
  })

  it('delivers every acknowledged message once and in one order, over three kills', async () => {
    // A listener may connect a second later than the writers: its messages are still kept then.
    const keep = 1_000_000
    const writers = [open({ keep }), open({ keep })]
    const subscribers = await Promise.all([open(), open()].map((engine) => listen(engine, 'lobby')))
    let isOver = false
    const acknowledged = Promise.all(writers.map((engine, index) => publishUntil(engine, `${index}`, () => isOver)))
    try {
      for (let death = 0; death < 3; death += 1) {
        const { length } = subscribers[0]?.frames ?? []
        await expect.poll(() => subscribers[0]?.frames.length).toBeGreaterThan(length + 20)
        await server.kill()
        await server.start()
      }
    } finally {
      isOver = true
    }
    const sent = (await acknowledged).flat()
    await persist(() => open().publish('lobby', 'end'))

    const [first, second] = subscribers
    await Promise.all(subscribers.map((subscriber) => subscriber.until('end')))
    const received = first?.data() ?? []
    expect(second?.data()).toEqual(received)
    expect(new Set(received).size).toBe(received.length)
    expect(sent.filter((data) => !received.includes(data))).toEqual([])
  })

  it('rejects kv calls while it is down, and keeps its values', async () => {
    const { kv } = open()
    await kv.set('cup', 'tea')
    await server.kill()
    await expectUnavailable(kv.get('cup'))
    await expectUnavailable(kv.set('cup', 'coffee'))
    await expectUnavailable(kv.increment('sum', 1))
    await expectUnavailable(kv.compareAndSet('cup', { from: 'tea', to: null }))
    await server.start()
    await persist(() => kv.get('cup'))
    expect(await kv.get('cup')).toBe('tea')
  })

  it('keeps the size limit of an owner when it is back', async () => {
    const { kv } = open()
    const before = await keepLarge(kv, { owner: 'ada', count: 10, settleMs: 2_500 })
    await server.kill()
    await server.start()
    await persist(() => kv.get('cup'))
    const keys = [...before, ...(await keepLarge(kv, { owner: 'ada', count: 10 }))]
    expect(await findExisting(kv, keys)).toEqual(keys.slice(4))
  })

  it('starts while it is down, and works when it is up', async () => {
    await server.kill()
    const engine = open()
    const listening = listen(engine, 'lobby')
    await expectUnavailable(engine.publish('lobby', 'lost'))

    await server.start()
    const subscriber = await listening
    await persist(() => engine.publish('lobby', 'hello'))
    await subscriber.until('hello')
    expect(subscriber.data()).toEqual(['hello'])
  })

  it('closes while it is down, and settles pending calls', async () => {
    await server.kill()
    const engine = open()
    const listening = engine.subscribe('lobby', () => {})
    const publishing = expectUnavailable(engine.publish('lobby', 'lost'))
    await engine.close()
    const subscription = await listening
    subscription.end()
    await publishing
    await expectUnavailable(engine.publish('lobby', 'lost'))
  })

  it('continues after it was suspended', async () => {
    const subscriber = await listen(open(), 'lobby')
    const engine = open({ timeout: 200 })
    await engine.publish('lobby', 'before')
    server.signal('SIGSTOP')
    await expectUnavailable(engine.publish('lobby', 'perhaps'))
    server.signal('SIGCONT')
    await persist(() => engine.publish('lobby', 'after'))
    await subscriber.until('after')
    expect(subscriber.data().filter((data) => data !== 'perhaps')).toEqual(['before', 'after'])
    expect(new Set(subscriber.data()).size).toBe(subscriber.frames.length)
  })
})

describe.each(['redis', 'postgres'])('an engine with the scheme %s and no server', (scheme) => {
  it('does not crash the process or keep it alive', async () => {
    const running = await spawnNode({
      file: fileURLToPath(new URL('lone-engine.ts', import.meta.url)),
      args: [`${scheme}://127.0.0.1:${await freePort()}`],
      ready: /closed after .*/,
    })
    expect(running.url).toBe('closed after SERVICE_UNAVAILABLE')
    expect(await running.exited).toEqual({ code: 0, signal: null })
    expect(running.output()).not.toMatch(/unhandled/i)
  })
})

/** Publishes 0, 1, 2 … and returns the acknowledged messages. */
async function publishUntil(engine: Engine, name: string, isOver: () => boolean): Promise<string[]> {
  const acknowledged: string[] = []
  for (let count = 0; !isOver(); count += 1) {
    const data = `${name}:${count}`
    await engine.publish('lobby', data).then(
      () => acknowledged.push(data),
      async (error: unknown) => {
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        // An unavailable engine rejects immediately: without a pause, it could never connect.
        await sleep(1)
      },
    )
  }
  return acknowledged
}
