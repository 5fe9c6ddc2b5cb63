import { describe, expect, it } from 'vitest'
import type { Run, RunError } from '../run.ts'
import { groupErrors } from './error-groups.ts'
import { makeRun } from './run.test.fixture.ts'

const failed = (number: number, thrown: Partial<RunError> | null, more: Partial<Run> = {}): Run => {
  const error = { name: 'Error', message: '', code: null, frames: [], codeFrame: '', cause: null, ...thrown }
  return makeRun(number, { state: 'failed', status: 500, thrown: thrown === null ? null : error, ...more })
}
const group = (runs: readonly Run[]): ReturnType<typeof groupErrors> =>
  groupErrors(runs.map((run) => ({ summary: run, thrown: run.thrown })))
const frame = (file: string, line: number, isForeign: boolean): RunError['frames'][number] => ({
  name: 'f',
  file,
  line,
  column: 1,
  isForeign,
})

describe('groupErrors', () => {
  it('groups errors with the same location, even if their messages differ', () => {
    const frames = [frame('/lib/x.js', 1, true), frame('src/a.ts', 5, false)]
    const groups = group([failed(1, { message: 'no user ada', frames }), failed(2, { message: 'no user bob', frames })])
    expect(groups).toMatchObject([
      { count: 2, firstAt: 1, lastAt: 2, runIds: ['run-000002', 'run-000001'], error: { message: 'no user bob' } },
    ])
  })

  it('groups errors without a location in the project by their message without numbers', () => {
    const groups = group([failed(1, { message: 'took 12 ms' }), failed(2, { message: 'took 9 ms' })])
    expect(groups.map(({ count }) => count)).toEqual([2])
  })

  it('separates routes, names and locations', () => {
    const groups = group([
      failed(1, { message: 'a' }),
      failed(2, { message: 'a' }, { route: 'GET /api/x' }),
      failed(3, { message: 'a', name: 'TypeError' }),
      failed(4, { message: 'a', frames: [frame('src/a.ts', 5, false)] }),
    ])
    expect(new Set(groups.map(({ key }) => key)).size).toBe(4)
    expect(groups[0]?.lastAt).toBe(4)
  })

  it('includes server errors without a thrown error, but not client errors', () => {
    const groups = group([
      failed(1, null, { error: 'LOAD_FAILED: src/a.ts does not load' }),
      makeRun(2, { state: 'refused', status: 400, error: 'INVALID_REQUEST: no' }),
    ])
    expect(groups.map(({ error }) => [error.name, error.code, error.message])).toEqual([
      ['LOAD_FAILED', 'LOAD_FAILED', 'src/a.ts does not load'],
    ])
  })

  it('lists the newest twenty runs of a group', () => {
    const [only] = group(Array.from({ length: 30 }, (_, at) => failed(at, { message: 'a' })))
    expect([only?.count, only?.runIds.length, only?.runIds[0]]).toEqual([30, 20, 'run-000029'])
  })
})
