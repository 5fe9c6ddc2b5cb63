import { ApiError } from '@sdk/protocol'
import type { EngineKv } from './engine-kv.ts'

/** Options of `createMemoryKv`. */
export interface MemoryKvOptions {
  now: () => number
  /** Characters of keys and values that are kept at most. @default 256 Mi */
  maxSize?: number
}

interface Entry {
  readonly value: string
  /** Infinity: never. */
  readonly endsAt: number
}

/** What an entry weighs beside its text, about. */
const OVERHEAD = 64

/** Below this weight nothing is swept; above it, a sweep follows each doubling. */
const SWEEP_AT = 8_388_608

/** Milliseconds between two sweeps, or a full store would do little else. */
const SWEEP_EVERY = 1_000

/** The store of one process, in its memory. */
export function createMemoryKv({ now, maxSize = 268_435_456 }: MemoryKvOptions): EngineKv {
  const entries = new Map<string, Entry>()
  let size = 0
  let sweepAt = SWEEP_AT
  let sweptAt = -Infinity

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
    async swap(key, { from, to, ttl }) {
      const entry = find(key)
      if ((entry?.value ?? null) !== from) return false
      if (to === null) remove(key)
      else write(key, { value: to, endsAt: ttl === undefined && entry !== undefined ? entry.endsAt : endOf(ttl) })
      return true
    },
  }

  function endOf(ttl = Infinity): number {
    return now() + ttl * 1000
  }

  function find(key: string): Entry | undefined {
    const entry = entries.get(key)
    return entry !== undefined && entry.endsAt > now() ? entry : undefined
  }

  function write(key: string, entry: Entry): void {
    const weight = weightOf(key, entry)
    if (size + weight > Math.min(sweepAt, maxSize)) sweep()
    const grown = size + weight - weightOf(key, entries.get(key))
    if (grown > maxSize) throw new ApiError('SERVICE_UNAVAILABLE', 'the store in memory is full', { retryAfter: 1 })
    entries.set(key, entry)
    size = grown
  }

  function remove(key: string): void {
    size -= weightOf(key, entries.get(key))
    entries.delete(key)
  }

  /** What has ended is gone for readers at once; this gives its memory back. */
  function sweep(): void {
    const at = now()
    if (at - sweptAt < SWEEP_EVERY) return
    sweptAt = at
    for (const [key, { endsAt }] of entries) if (endsAt <= at) remove(key)
    sweepAt = Math.max(SWEEP_AT, size * 2)
  }
}

function weightOf(key: string, entry: Entry | undefined): number {
  return entry === undefined ? 0 : key.length + entry.value.length + OVERHEAD
}
