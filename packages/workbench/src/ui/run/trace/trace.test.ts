import { describe, expect, it } from 'vitest'
import type { RunLog } from '../../../run.ts'
import { createTestError, createTestRun, createTestSpan, createTestStep } from '../test-run.test.fixture.ts'
import { sumTokens, toPercent, toTraceRows, traceEnd } from './trace.ts'

const log = (spanId: number, at: number): RunLog => ({ at, level: 'info', message: 'hi', fields: null, spanId })

describe('toTraceRows', () => {
  it('sorts calls below their caller, by start time', () => {
    const run = createTestRun({
      ms: 50,
      logs: [log(0, 1), log(2, 20)],
      spans: [
        createTestSpan({ id: 1, startedAt: 30, endedAt: 40, route: 'POST /agent/late' }),
        createTestSpan({ id: 2, startedAt: 5, endedAt: 25, route: 'POST /agent/early', error: createTestError() }),
        createTestSpan({ id: 3, parentId: 2, startedAt: 6, endedAt: null, route: 'POST /agent/inner' }),
      ],
    })
    const rows = toTraceRows(run)
    expect(
      rows.map(({ name, depth, isOver, hasFailed, endedAt }) => [name, depth, isOver, hasFailed, endedAt]),
    ).toEqual([
      ['POST /agent/echo', 0, true, false, 50],
      ['POST /agent/early', 1, true, true, 25],
      ['POST /agent/inner', 2, false, false, 50],
      ['POST /agent/late', 1, true, false, 40],
    ])
    expect(rows.map(({ logs }) => logs.length)).toEqual([1, 1, 0, 0])
  })

  it('sorts steps of models below their caller, and agents below the step that called them as a tool', () => {
    const toolCalls = [{ id: 'a', name: 'weather', startedAt: 4, endedAt: 8, hasFailed: false }]
    const run = createTestRun({
      ms: 30,
      models: [createTestStep({ toolCalls }), createTestStep({ index: 1, startedAt: 12, endedAt: null })],
      spans: [
        createTestSpan({ id: 1, startedAt: 5, route: 'POST /agent/weather', toolCallId: 'a' }),
        createTestSpan({ id: 2, startedAt: 11, route: 'POST /agent/log' }),
      ],
    })
    const rows = toTraceRows(run).map(({ name, depth, isOver }) => [name, depth, isOver])
    expect(rows).toEqual([
      ['POST /agent/echo', 0, true],
      ['mock-1', 1, true],
      ['POST /agent/weather', 2, true],
      ['POST /agent/log', 1, true],
      ['mock-1', 1, false],
    ])
    expect(sumTokens(run)).toEqual({ input: 2_400, cached: 1_600, output: 180, reasoning: 0 })
  })

  it('uses the latest event as the end of a running trace', () => {
    expect(traceEnd(createTestRun({ ms: null, spans: [createTestSpan({ endedAt: 80 })], logs: [log(0, 90)] }))).toBe(90)
    expect(toPercent(25, 200)).toBe('12.5%')
  })
})
