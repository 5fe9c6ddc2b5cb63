import { describe, expect, it } from 'vitest'
import type { RunFilter } from '../api.ts'
import { listRuns } from './run-list.ts'
import { makeRun } from './run.test.fixture.ts'

const ada = { userId: 'u1', email: 'ada@example.com', name: 'Ada' }
const all = [
  makeRun(1, { via: 'POST /api/mcp' }),
  makeRun(2, { route: 'GET /api/tasks', state: 'refused', status: 404, error: 'NOT_FOUND: no such task' }),
  makeRun(3, { caller: 'browser', identity: ada, ms: 250 }),
  makeRun(4, { state: 'running', status: 0, ms: null, target: '/agent/echo?x=Long' }),
]

describe('listRuns', () => {
  it.each<[RunFilter, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ route: 'GET /api/tasks' }, [2]],
    [{ route: 'POST /api/mcp' }, [1]],
    [{ status: 'refused' }, [2]],
    [{ status: '404' }, [2]],
    [{ status: 'running' }, [4]],
    [{ caller: 'browser' }, [3]],
    [{ identity: 'ada@example.com' }, [3]],
    [{ identity: 'u1' }, [3]],
    [{ identity: 'anonymous' }, [4, 2, 1]],
    [{ slower: 250 }, [3]],
    [{ requestId: 'request-1' }, [1]],
    [{ search: 'NO SUCH' }, [2]],
    [{ search: 'long' }, [4]],
    [{ before: 'run-000003' }, [2, 1]],
  ])('filters by %j', (filter, numbers) => {
    expect(listRuns(all, filter).runs.map(({ startedAt }) => startedAt)).toEqual(numbers)
  })

  it('returns one page and whether there are more runs', () => {
    const first = listRuns(all, { limit: 3 })
    expect([first.runs.length, first.hasMore]).toEqual([3, true])
    const next = listRuns(all, { limit: 1, before: first.runs[2]?.id ?? '' })
    expect([next.runs.map(({ startedAt }) => startedAt), next.hasMore]).toEqual([[1], false])
  })

  it('returns all callers and counts all runs, regardless of the filter', () => {
    expect(listRuns(all, { caller: 'nobody' })).toMatchObject({ runs: [], callers: ['browser', 'curl'], total: 4 })
  })
})
