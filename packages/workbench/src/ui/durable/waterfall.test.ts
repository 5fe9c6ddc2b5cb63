import { describe, expect, it } from 'vitest'
import { createInspection, createStep, timeAt } from './inspection.test.fixture.ts'
import { toWaterfall, type WaterfallRow } from './waterfall.ts'

const NOW = Date.parse(timeAt(5_000))

function namesOf(rows: readonly WaterfallRow[]): string[] {
  return rows.map((row) => (row.kind === 'attempt' ? `attempt ${row.attempt.epoch}` : (row.step?.name ?? 'open')))
}

describe('toWaterfall', () => {
  it('places steps on a linear axis, below the attempt that finished them', () => {
    const attempts = [1, 2].map((epoch) => ({ epoch, process: null, keep: null, steps: 1 }))
    const steps = [createStep('one', [0, 500]), createStep('two', [500, 1000], { epoch: 2 })]
    const { rows, toPercent, isShortened } = toWaterfall(createInspection({ steps, attempts }), NOW)
    expect(namesOf(rows)).toEqual(['attempt 1', 'one', 'attempt 2', 'two'])
    expect([0, 250, 500, 1000].map((ms) => toPercent(Date.parse(timeAt(ms))))).toEqual([0, 25, 50, 100])
    expect(isShortened).toBe(false)
  })

  it('shortens pauses, so that steps before and after a long sleep stay visible', () => {
    const day = 86_400_000
    const steps = [
      createStep('before', [0, 100]),
      createStep('nap', [100, day], { kind: 'sleep' }),
      createStep('after', [day, day + 100]),
    ]
    const run = { endedAt: timeAt(day + 100) }
    const { toPercent, isShortened } = toWaterfall(createInspection({ steps, run }), NOW)
    expect(isShortened).toBe(true)
    const [from, to] = [toPercent(Date.parse(timeAt(100))), toPercent(Date.parse(timeAt(day)))]
    expect(from).toBeGreaterThan(40)
    expect(to - from).toBeLessThan(20)
  })

  it('shows what a running or waiting run does now', () => {
    const running = createInspection({
      steps: [createStep('one', [0, 100])],
      run: { status: 'running', endedAt: null },
    })
    expect(toWaterfall(running, NOW).rows.at(-1)).toMatchObject({ step: null, isOpen: true, endedAt: NOW })
    const waiting = createInspection({
      steps: [createStep('approval', [0, null], { kind: 'wait' }), createStep('nap', [0, 9e9], { kind: 'sleep' })],
      run: { status: 'waiting', endedAt: null },
    })
    const { rows } = toWaterfall(waiting, NOW)
    expect(namesOf(rows)).toEqual(['attempt 1', 'approval', 'nap'])
    for (const row of rows.slice(1)) expect(row).toMatchObject({ isOpen: true, endedAt: NOW })
  })

  it('accepts a run that no process has started', () => {
    const run = { status: 'queued', endedAt: null, epoch: 0 } as const
    const { rows, toPercent } = toWaterfall(createInspection({ run, attempts: [] }), NOW)
    expect(rows).toEqual([])
    expect(toPercent(NOW)).toBe(100)
  })
})
