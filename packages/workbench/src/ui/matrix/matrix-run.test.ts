import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { createMatrix, type MatrixPlan, type Outcome } from './matrix-run.ts'

const DONE: Outcome = { state: 'done', status: 200, ms: 1, output: 'x', error: null }

/** Creates calls that the test completes one by one. */
function createCalls(): { plan: MatrixPlan; open: Map<number, (outcome: Outcome) => void>; signals: AbortSignal[] } {
  const open = new Map<number, (outcome: Outcome) => void>()
  const signals: AbortSignal[] = []
  let count = 0
  const plan: MatrixPlan = {
    count: 5,
    concurrency: 2,
    createId: () => `request-${++count}`,
    call(index, _requestId, signal) {
      signals.push(signal)
      return new Promise((resolve) => {
        open.set(index, resolve)
        signal.addEventListener('abort', () => resolve({ ...DONE, state: 'cancelled', status: 0 }))
      })
    },
  }
  return { plan, open, signals }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const progressOf = (matrix: ReturnType<typeof createMatrix>): string[] =>
  matrix.get().cells.map(({ progress }) => progress)

describe('createMatrix', () => {
  it('makes all calls within the concurrency limit', async () => {
    const { plan, open } = createCalls()
    const matrix = createMatrix()
    matrix.start(plan)
    expect(progressOf(matrix)).toEqual(['running', 'running', 'waiting', 'waiting', 'waiting'])
    for (const index of [1, 0, 2, 3, 4]) {
      open.get(index)?.(DONE)
      await turn()
      expect(progressOf(matrix).filter((progress) => progress === 'running').length).toBeLessThanOrEqual(2)
    }
    expect(progressOf(matrix)).toEqual(Array.from({ length: 5 }, () => 'over'))
    expect(matrix.get().isRunning).toBe(false)
    expect(new Set(matrix.get().cells.map(({ requestId }) => requestId)).size).toBe(5)
  })

  it('stops at the first rate limit error, and resumes with the remaining calls', async () => {
    const { plan, open } = createCalls()
    const matrix = createMatrix()
    matrix.start(plan)
    const error = new ApiError('RATE_LIMITED', 'Too many calls', { status: 429, retryAfter: 3 })
    open.get(0)?.({ state: 'failed', status: 429, ms: 1, output: undefined, error })
    await turn()
    open.get(1)?.(DONE)
    await turn()
    expect(progressOf(matrix)).toEqual(['over', 'over', 'waiting', 'waiting', 'waiting'])
    expect(matrix.get()).toMatchObject({ isRunning: false, stop: { retryAfter: 3 } })
    matrix.resume()
    expect(matrix.get().stop).toBeNull()
    expect(progressOf(matrix)).toEqual(['over', 'over', 'running', 'running', 'waiting'])
  })

  it('aborts running calls when it is cancelled', async () => {
    const { plan, signals } = createCalls()
    const matrix = createMatrix()
    matrix.start(plan)
    matrix.cancel()
    await turn()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(matrix.get().isRunning).toBe(false)
    expect(matrix.get().cells.filter(({ state }) => state === 'cancelled')).toHaveLength(2)
    expect(progressOf(matrix)).toEqual(['over', 'over', 'waiting', 'waiting', 'waiting'])
  })

  it('ignores results of calls from before a restart', async () => {
    const [first, second] = [createCalls(), createCalls()]
    const matrix = createMatrix()
    matrix.start(first.plan)
    matrix.start({ ...second.plan, count: 1 })
    await turn()
    expect(progressOf(matrix)).toEqual(['running'])
    expect(matrix.get().isRunning).toBe(true)
    second.open.get(0)?.(DONE)
    await turn()
    expect(matrix.get()).toMatchObject({ isRunning: false, cells: [{ state: 'done', output: 'x' }] })
  })
})
