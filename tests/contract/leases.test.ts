import { fileURLToPath } from 'node:url'
import type { Engine, Log } from '@sdk/server'
import { type Service, spawnNode } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { expectUnavailable, persist } from './availability.ts'
import { DRIVERS } from './drivers.ts'

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe.each(DRIVERS)('presence of the $name', (driver) => {
  let server: Service
  const opened: Engine[] = []
  beforeEach(async () => {
    server = await driver.start()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((engine) => engine.close()))
    await server.stop()
  })

  function open(): Engine {
    const engine = driver.open(server.url, { log: silent, lease: 1 })
    opened.push(engine)
    return engine
  }

  it('removes the members of a killed process, and keeps those of a running one', async () => {
    const [engine, other] = [open(), open()]
    await other.presence.join('lobby', { id: 'grace', data: '"alive"' })
    const running = await spawnNode({
      file: fileURLToPath(new URL('member.ts', import.meta.url)),
      args: [server.url],
      ready: /joined/,
    })
    const ids = async (): Promise<string[]> => (await engine.presence.list('lobby')).map(({ id }) => id)
    await expectAfterLeases(engine, ids, ['ada', 'grace'])
    await running.kill()
    const killedAt = performance.now()
    await expect.poll(ids, { interval: 20 }).toEqual(['grace'])
    expect(performance.now() - killedAt).toBeLessThan(choose(2_000, 30_000))
    await expectAfterLeases(engine, ids, ['grace'])
  })

  it('is restored after a restart of the server, without members that left', async () => {
    const [engine, other] = [open(), open()]
    const list = (): Promise<unknown> => other.presence.list('lobby').catch(String)
    const members = ['ada', 'grace'].map((id) => ({ id, data: `"${id}"` }))
    for (const member of members) await engine.presence.join('lobby', member)
    await server.kill()
    await expectUnavailable(engine.presence.join('lobby', { id: 'alan', data: '{}' }))
    await expectUnavailable(engine.presence.leave('lobby', 'ada'))
    await server.start()
    await expect.poll(list).toEqual(members.slice(1))
    await persist(() => engine.presence.leave('lobby', 'grace'))
    await expect.poll(list).toEqual([])
  })
})

/**
 * Expects a value after all leases that were not renewed have expired. A lease that a busy process renews too late
 * expires, too, but its members are back after the next renewal.
 */
async function expectAfterLeases<T>(engine: Engine, read: () => Promise<T>, expected: T): Promise<void> {
  await engine.kv.set('mark', 'x', { ttl: 2 })
  await expect.poll(() => engine.kv.get('mark')).toBeNull()
  await expect.poll(read).toEqual(expected)
}
