import type { RatePolicy } from '@sdk/protocol'
import { type Engine, type EngineKv, memoryEngine, type Quota } from '@sdk/server'

/** What all processes count together; while they cannot, each counts by itself, with the same limits. */
export interface AttemptCounters {
  /** Takes a unit. Null: there was one; else the seconds until there is one again. */
  take(key: string, policy: RatePolicy): Promise<number | null>
  /** Puts a unit back. */
  giveBack(key: string, policy: RatePolicy): Promise<void>
  /** Counts up or down; what is counted is forgotten so many seconds after the first. */
  add(key: string, by: 1 | -1, ttl: number): Promise<number>
  read(key: string): Promise<string | null>
  write(key: string, value: string, ttl: number): Promise<void>
}

/** Counts in the engine, which may be another one later. */
export function createAttemptCounters(engine: () => Engine, now: () => number = Date.now): AttemptCounters {
  const local = memoryEngine({ now })

  /** An engine that is down must not let anybody guess freely. */
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
  // Given back: otherwise refused attempts would use up what others give back.
  await engine.kv.increment(place, -1, { ttl: policy.window })
  return Math.ceil(policy.window - ((now / 1000) % policy.window))
}

/** An engine without quotas counts by windows of the clock. */
function windowKey(key: string, { name, window }: Quota & { name: string }, now: number): string {
  return toCounterKey(`${name} ${key} ${Math.floor(now / 1000 / window)}`)
}

function toCounterKey(key: string): string {
  return `auth/${key}`
}

/** What stood there was no number: nothing of ours, so it goes. */
async function resetCounter(kv: EngineKv, key: string): Promise<number> {
  await kv.delete(toCounterKey(key))
  return 1
}
