import type { RunStore } from '@sdk/server'
import { expect, it } from 'vitest'
import { newRun } from './run-contract.ts'

const DIGEST = { agent: 'digest', name: '0 7 * * * UTC' }
const LATER = { agent: 'digest', name: '0 8 * * * UTC' }
const REPORT = { agent: 'report', name: '0 7 * * * UTC' }
const NOW = Date.parse('2026-11-18T07:00:00.123Z')

/** The contract of every store for schedules. `open` returns a store with the processes `a` and `b`. */
export function scheduleContract(open: () => Promise<RunStore>): void {
  it('remembers the last tick of each schedule, which begins when it is new', async () => {
    const { schedules } = await open()
    const agents = ['digest', 'report']
    expect(await schedules.begin({ agents, schedules: [DIGEST, REPORT], now: NOW })).toEqual([NOW, NOW])
    await schedules.record(DIGEST, NOW + 2_000)
    await schedules.record(DIGEST, NOW + 1_000)
    const later = { agents, schedules: [LATER, REPORT, DIGEST], now: NOW + 9_000 }
    expect(await schedules.begin(later)).toEqual([NOW + 9_000, NOW, NOW + 2_000])
  })

  it('forgets removed schedules, also if an old process still records their ticks', async () => {
    const { schedules } = await open()
    await schedules.begin({ agents: ['digest', 'report'], schedules: [DIGEST, LATER, REPORT], now: NOW })
    expect(await schedules.begin({ agents: ['digest'], schedules: [LATER], now: NOW + 1 })).toEqual([NOW])
    await schedules.record(DIGEST, NOW + 2)
    expect(await schedules.begin({ agents: ['digest'], schedules: [DIGEST], now: NOW + 3 })).toEqual([NOW + 3])
    expect(await schedules.begin({ agents: ['report'], schedules: [REPORT], now: NOW + 4 })).toEqual([NOW])
    expect(await schedules.begin({ agents: ['report'], schedules: [], now: NOW + 4 })).toEqual([])
  })

  it('begins a schedule once when several processes start', async () => {
    const { schedules } = await open()
    const begin = (now: number): Promise<number[]> => schedules.begin({ agents: ['digest'], schedules: [DIGEST], now })
    await Promise.all(Array.from({ length: 8 }, (_, index) => begin(NOW + index)))
    const [last = 0] = await begin(NOW + 9)
    expect(last).toBeLessThan(NOW + 8)
  })

  it('returns the key of a claimed run', async () => {
    const store = await open()
    const run = newRun({ process: null, key: 'schedule writer 2026-11-18T07:00:00.000Z' })
    await store.create(run)
    expect(await store.claim('a', { agents: ['writer'], limit: 9 })).toMatchObject([{ id: run.id, key: run.key }])
  })
}
