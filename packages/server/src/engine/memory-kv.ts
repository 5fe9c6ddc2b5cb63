import { ApiError } from '@sdk/protocol'
import { type EngineKv, OWNER_LIMIT, ownedSize } from './engine-kv.ts'
import { createOwners } from './memory-owners.ts'

interface KvEntry {
  readonly value: string
  /** The time at which the entry expires, or `Infinity` if it never does. */
  readonly endsAt: number
  readonly owner?: string | undefined
}

/** The estimated overhead of an entry, in addition to its key and value. */
const ENTRY_OVERHEAD = 64

/** The minimum size at which expired entries are removed. They are removed again whenever the store doubles in size. */
const MIN_EXPIRE_SIZE = 8_388_608

/** The minimum time between two removals, in ms. Without it, a full store would scan all entries on each write. */
const EXPIRE_INTERVAL_MS = 1_000

/**
 * Creates the in-memory store of one process. `maxSize` is in characters. Owned entries may use half of it, and a
 * single owner may use a sixteenth.
 */
export function createMemoryKv({ now, maxSize = 16 * OWNER_LIMIT }: { now: () => number; maxSize?: number }): EngineKv {
  const { find, write, remove } = createEntries(now, maxSize)
  const endOf = (ttl = Infinity): number => now() + ttl * 1000

  return {
    async get(key) {
      return find(key)?.value ?? null
    },
    async set(key, value, options) {
      write(key, { value, endsAt: endOf(options?.ttl) })
    },
    async delete(key) {
      const isThere = find(key) !== undefined
      remove(key)
      return isThere
    },
    async increment(key, by, options) {
      const { value, endsAt } = find(key) ?? { value: '0', endsAt: endOf(options?.ttl) }
      const sum = /^-?\d+$/.test(value) ? Number(value) + by : NaN
      if (!Number.isSafeInteger(sum)) return null
      write(key, { value: String(sum), endsAt })
      return sum
    },
    async compareAndSet(key, { from, to, ttl, owner }) {
      const entry = find(key)
      if ((entry?.value ?? null) !== from) return false
      const endsAt = ttl === undefined && entry !== undefined ? entry.endsAt : endOf(ttl)
      if (to === null) remove(key)
      else write(key, { value: to, endsAt, owner })
      return true
    },
  }
}

function createEntries(now: () => number, maxSize: number) {
  const entries = new Map<string, KvEntry>()
  const owners = createOwners({ each: maxSize / 16, all: maxSize / 2 })
  let size = 0
  let expireAtSize = MIN_EXPIRE_SIZE
  let expiredAt = -Infinity

  return {
    find(key: string) {
      const entry = entries.get(key)
      return entry !== undefined && entry.endsAt > now() ? entry : undefined
    },
    write(key: string, entry: KvEntry) {
      const weight = entrySize(key, entry)
      if (size + weight > Math.min(expireAtSize, maxSize)) removeExpired()
      const grown = size + weight - entrySize(key, entries.get(key))
      if (grown > maxSize) throw new ApiError('SERVICE_UNAVAILABLE', 'the in-memory store is full', { retryAfter: 1 })
      entries.set(key, entry)
      size = grown
      if (entry.owner === undefined) owners.delete(key)
      else for (const gone of owners.add(entry.owner, { key, size: weight })) remove(gone)
    },
    remove,
  }

  function remove(key: string): void {
    size -= entrySize(key, entries.get(key))
    owners.delete(key)
    entries.delete(key)
  }

  /** Frees the memory of expired entries, which `find` already ignores. */
  function removeExpired(): void {
    const at = now()
    if (at - expiredAt < EXPIRE_INTERVAL_MS) return
    expiredAt = at
    for (const [key, { endsAt }] of entries) if (endsAt <= at) remove(key)
    expireAtSize = Math.max(MIN_EXPIRE_SIZE, size * 2)
  }
}

function entrySize(key: string, entry: KvEntry | undefined): number {
  if (entry === undefined) return 0
  return entry.owner === undefined ? key.length + entry.value.length + ENTRY_OVERHEAD : ownedSize(key, entry.value)
}
