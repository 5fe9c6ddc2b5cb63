import { describe, expect, it } from 'vitest'
import { createSummary } from '../runs/run.test.fixture.ts'
import { statsOf } from './agent-stats.ts'

describe('statsOf', () => {
  it('returns the statistics of the runs of one route', () => {
    const runs = [
      createSummary({ id: '5', startedAt: 50, ms: null, state: 'running' }),
      createSummary({ id: '4', startedAt: 40, ms: 9000, state: 'failed' }),
      createSummary({ id: '3', startedAt: 30, ms: 30 }),
      createSummary({ id: '2', startedAt: 20, ms: 10 }),
      createSummary({ id: '1', startedAt: 10, ms: 20 }),
      createSummary({ id: '00', startedAt: 5, ms: 1, state: 'refused', status: 400 }),
      createSummary({ id: '0', route: 'POST /agent/other', ms: 5 }),
    ]
    expect(statsOf(runs, 'POST /agent/echo')).toEqual({
      count: 6,
      lastAt: 50,
      p50: 20,
      failed: 1,
      refused: 1,
      times: [20, 10, 30],
    })
  })

  it('returns empty statistics for a route without runs', () => {
    expect(statsOf([], 'POST /agent/echo')).toEqual({
      count: 0,
      lastAt: null,
      p50: null,
      failed: 0,
      refused: 0,
      times: [],
    })
  })
})
