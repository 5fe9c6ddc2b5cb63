import type { RatePolicy } from '@sdk/protocol'
import { type Engine, type EngineKv, memoryEngine, type Quota } from '@sdk/server'

/** Counters shared by all processes. While the engine is down, each process counts separately, with the same limits. */
export interface AttemptCounters {
  /** Takes a unit from a quota. Returns null on success, otherwise the number of seconds until a unit is available. */
  take(key: string, policy: RatePolicy): Promise<number | null>
  /** Gives a unit back to the quota. */
  giveBack(key: string, policy: RatePolicy): Promise<void>
  /** Increments or decrements a counter, which expires `ttl` seconds after the first count. */
  add(key: string, by: 1 | -1, ttl: number): Promise<number>
  read(key: string): Promise<string | null>
  write(key: string, value: string, ttl: number): Promise<void>
}

/** Creates counters in the current engine, which may be replaced later. */
export function createAttemptCounters(engine: () => Engine, now: () => number = Date.now): AttemptCounters {
  const local = memoryEngine({ now })

  /** Falls back to local counters, because an engine failure must not allow unlimited guessing. */
  async function shared<T>(work: (engine: Engine) => T | Promise<T>): Promise<T> {
    try {
      return await work(engine())
    } catch {
      return work(local)
    }
  }

  return {
    take: (key, policy) => shared((one) => takeFrom(one, key, { policy, now: now() })),
    async giveBack(key, policy) {
      await shared(async (one) => {
        if (one.take) await one.take(`auth ${key}`, -1, policy)
        else await one.kv.increment(windowKey(key, policy, now()), -1, { ttl: policy.window })
      })
    },
    add: (key, by, ttl) =>
      shared(async ({ kv }) => (await kv.increment(toCounterKey(key), by, { ttl })) ?? (await resetCounter(kv, key))),
    read: (key) => shared(({ kv }) => kv.get(toCounterKey(key))),
    write: (key, value, ttl) => shared(({ kv }) => kv.set(toCounterKey(key), value, { ttl })),
  }
}

async function takeFrom(
  engine: Engine,
  key: string,
  { policy, now }: { policy: RatePolicy; now: number },
): Promise<number | null> {
  if (engine.take) {
    const { allowed, reset } = await engine.take(`auth ${key}`, 1, policy)
    return allowed ? null : reset
  }
  const place = windowKey(key, policy, now)
  const sum = (await engine.kv.increment(place, 1, { ttl: policy.window })) ?? 0
  if (sum <= policy.quota) return null
  // Return the unit. Otherwise, rejected attempts would use up the units that other attempts have returned.
  await engine.kv.increment(place, -1, { ttl: policy.window })
  return Math.ceil(policy.window - ((now / 1000) % policy.window))
}

/** Returns the key of the current fixed window, for engines without quotas. */
function windowKey(key: string, { name, window }: Quota & { name: string }, now: number): string {
  return toCounterKey(`${name} ${key} ${Math.floor(now / 1000 / window)}`)
}

function toCounterKey(key: string): string {
  return `auth/${key}`
}

/** Deletes a value that is not a number and therefore not a counter. Returns 1, the new count. */
async function resetCounter(kv: EngineKv, key: string): Promise<number> {
  await kv.delete(toCounterKey(key))
  return 1
}
