import type { QuotaStore, GrantRequest } from './quota-lease.ts'
import type { RatePolicy } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RateDecision } from '../gcra.ts'
import { createLeasedQuotas, type LeasedQuotas } from './leased-quotas.ts'

/** 10 per second; a process can lease 10 at a time. */
const POLICY: RatePolicy = { name: 'default', quota: 600, window: 60 }
const LEASE = 10
const SLOW: RatePolicy = { name: 'auth', quota: 5, window: 3600 }

describe('createLeasedQuotas', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('grants no more than the quota and its refill under a steady load of four processes', async () => {
    const { store, processes } = open(4)
    const granted = await countGranted(processes, { everyMs: 10, turns: 2_000, atOnce: 1 })
    // 20 s at 100 requests per second: the quota is used up after 7 s.
    expect(granted).toBeLessThanOrEqual(600 + 20 * 10)
    expect(granted).toBeGreaterThanOrEqual(600 + 20 * 10 - 4 * LEASE)
    expect(store.requests.length).toBeLessThan(2_000 / 2)
  })

  it('grants no more than the quota and its refill under bursts', async () => {
    const { processes } = open(4)
    const granted = await countGranted(processes, { everyMs: 2_000, turns: 10, atOnce: 300 })
    expect(granted).toBeLessThanOrEqual(600 + 20 * 10)
    expect(granted).toBeGreaterThanOrEqual(600 + 18 * 10 - 4 * LEASE)
  })

  it('batches concurrent calls and serves most calls from its lease', async () => {
    const { store, processes } = open(1)
    await Promise.all(Array.from({ length: 50 }, () => take(processes, 0)))
    expect(store.requests).toMatchObject([{ wanted: 50 }])
    for (let turn = 0; turn < 100; turn += 1) await take(processes, 0)
    expect(store.requests.length).toBeLessThan(20)
    expect(Math.max(...store.requests.slice(1).map(({ wanted }) => wanted))).toBe(LEASE)
  })

  it('returns the unused units of an idle key', async () => {
    const { store, processes } = open(1)
    for (let turn = 0; turn < 4; turn += 1) await take(processes, 0)
    expect(store.used()).toBeCloseTo(7) // 1, 2 and 4
    await vi.advanceTimersByTimeAsync(1_600)
    expect(store.requests.at(-1)).toMatchObject({ wanted: -3 })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends one request at a time per key, even while it returns units', async () => {
    const { store, processes } = open(1)
    for (let turn = 0; turn < 4; turn += 1) await take(processes, 0)
    store.delay = 100
    await vi.advanceTimersByTimeAsync(1_500)
    const next = take(processes, 0)
    await vi.advanceTimersByTimeAsync(500)
    expect(await next).toMatchObject({ allowed: true })
    expect(store.mostAtOnce).toBe(1)
  })

  it('keeps no more than a lease of the units that callers return', async () => {
    const { store, processes } = open(1)
    await Promise.all(Array.from({ length: 100 }, () => take(processes, 0)))
    for (let turn = 0; turn < 100; turn += 1) void processes[0]?.take('ada', -1, POLICY)
    await vi.advanceTimersByTimeAsync(0)
    expect(store.used()).toBeLessThanOrEqual(LEASE * 2)
    expect(await take(processes, 0)).toMatchObject({ allowed: true })
  })

  it('returns the time until the next unit, and detects units that another process returned', async () => {
    const { processes } = open(2)
    const [one, two] = processes
    for (let turn = 0; turn < 5; turn += 1) await one?.take('ada', 1, SLOW)
    expect(await two?.take('ada', 1, SLOW)).toEqual({ allowed: false, remaining: 0, reset: 720 })
    void one?.take('ada', -1, SLOW)
    expect(await two?.take('ada', 1, SLOW)).toMatchObject({ allowed: false })
    await vi.advanceTimersByTimeAsync(2_100)
    expect(await two?.take('ada', 1, SLOW)).toMatchObject({ allowed: true })
  })

  it('rejects all pending calls if the store fails, and retries on the next call', async () => {
    const { store, processes } = open(1)
    store.isAway = true
    const pending = Array.from({ length: 3 }, () => take(processes, 0))
    expect(await Promise.all(pending.map((one) => one.catch(String)))).toEqual(Array(3).fill('Error: away'))
    store.isAway = false
    expect(await take(processes, 0)).toMatchObject({ allowed: true, remaining: 599 })
  })

  it('discards its lease if the units cannot be returned', async () => {
    const { store, processes } = open(1)
    for (let turn = 0; turn < 4; turn += 1) await take(processes, 0)
    store.isAway = true
    await vi.advanceTimersByTimeAsync(3_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('returns all units on close, including pending ones, and leaves no timer', async () => {
    const { store, processes } = open(1)
    for (let turn = 0; turn < 4; turn += 1) await take(processes, 0)
    store.delay = 50
    const late = [1, 2, 3, 4].map(() => take(processes, 0))
    const closed = processes[0]?.close()
    await vi.advanceTimersByTimeAsync(200)
    await Promise.all([...late, closed])
    expect(store.used()).toBeCloseTo(8 - 0.2 * 10)
    store.delay = 0
    await take(processes, 0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

interface Load {
  readonly everyMs: number
  readonly turns: number
  readonly atOnce: number
}

/** Returns how many units a caller gets that uses all processes in turn. */
async function countGranted(processes: readonly LeasedQuotas[], { everyMs, turns, atOnce }: Load): Promise<number> {
  const decisions: RateDecision[] = []
  let next = 0
  for (let turn = 0; turn < turns; turn += 1) {
    decisions.push(...(await Promise.all(Array.from({ length: atOnce }, () => take(processes, next++)))))
    await vi.advanceTimersByTimeAsync(everyMs)
  }
  return decisions.filter(({ allowed }) => allowed).length
}

async function take(processes: readonly LeasedQuotas[], at: number): Promise<RateDecision> {
  const quotas = processes[at % processes.length]
  if (quotas === undefined) throw new Error('no such process')
  return quotas.take('ada', 1, POLICY)
}

function open(count: number): { store: MemoryStore; processes: LeasedQuotas[] } {
  const store = new MemoryStore()
  return { store, processes: Array.from({ length: count }, () => createLeasedQuotas(store, Date.now)) }
}

/** An in-memory quota on the fake clock, which can be slow or unavailable. */
class MemoryStore implements QuotaStore {
  readonly requests: GrantRequest[] = []
  isAway = false
  delay = 0
  mostAtOnce = 0
  #atOnce = 0
  #fullAt = 0

  /** Returns the units that are in use. */
  used(): number {
    return Math.max(0, this.#fullAt - Date.now()) / 100
  }

  async grant(requests: readonly GrantRequest[]): Promise<{ granted: number; fullIn: number }[]> {
    if (this.isAway) throw new Error('away')
    this.requests.push(...requests)
    this.mostAtOnce = Math.max(this.mostAtOnce, (this.#atOnce += 1))
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay))
    this.#atOnce -= 1
    return requests.map((request) => this.#take(request))
  }

  #take({ policy, wanted }: GrantRequest): { granted: number; fullIn: number } {
    const [now, room] = [Date.now(), policy.window * 1000]
    const step = room / policy.quota
    const at = Math.max(this.#fullAt, now)
    const granted = wanted < 0 ? wanted : Math.min(wanted, Math.floor((room - (at - now)) / step + 1e-9))
    this.#fullAt = Math.max(now, at + granted * step)
    return { granted, fullIn: this.#fullAt - now }
  }
}
