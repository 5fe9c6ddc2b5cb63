import { redisEngine } from '@sdk/redis'
import type { Engine, Log } from '@sdk/server'
import { hasRedis } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { persist } from './availability.ts'
import { engineContract, sharedContract } from './engine-contract.ts'
import { historyContract } from './history-contract.ts'
import { kvContract } from './kv-contract.ts'
import { listen, newStream } from './listen.ts'
import { namesContract } from './names-contract.ts'
import { ownerContract } from './owner-contract.ts'
import { presenceContract, sharedPresenceContract } from './presence-contract.ts'
import { quotaContract } from './quota-contract.ts'
import { command, type RedisGroup, startRedisCluster, startRedisSentinel } from './redis-kinds.ts'
import { sequenceContract } from './sequence-contract.ts'

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
let group: RedisGroup
const opened: Engine[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()))
})

function open(): Engine {
  // A busy machine may take longer than the default of 5 s for a call.
  const engine = redisEngine(group.url, { log: silent, timeout: 60_000 })
  opened.push(engine)
  return engine
}

const openPair = (): readonly [Engine, Engine] => [open(), open()]

describe.skipIf(!hasRedis())('redisEngine on a cluster', () => {
  beforeAll(async () => {
    group = await startRedisCluster()
  })
  afterAll(() => group.stop())

  engineContract(open)
  sharedContract(open)
  historyContract(openPair)
  presenceContract(openPair)
  sharedPresenceContract(open)
  namesContract(open)
  sequenceContract(openPair)
  kvContract(openPair)
  ownerContract(openPair)
  quotaContract(openPair)
})

describe.skipIf(!hasRedis())('redisEngine with Sentinel', () => {
  beforeAll(async () => {
    group = await startRedisSentinel()
  })
  afterAll(() => group.stop())

  it('continues with the replica after a failover', async () => {
    const [engine, other] = openPair()
    const stream = newStream()
    const subscriber = await listen(other, stream)
    await engine.publish(stream, 'before')
    const sentinel = group.ports.at(-1) ?? 0
    await expect.poll(() => command(sentinel, 'SENTINEL FAILOVER main')).toContain('OK')
    await expect.poll(() => command(group.ports[1] ?? 0, 'INFO replication')).toContain('role:master')
    await persist(() => engine.publish(stream, 'after'))
    await expect.poll(subscriber.data).toContain('after')
    expect(subscriber.data()[0]).toBe('before')
  })
})
