import { describe, expect, it } from 'vitest'
import type { RunSpan } from '../../run.ts'
import { createRun } from '../runs/run.test.fixture.ts'
import { pairSpans } from './trace-overlay.tsx'

function spansOf(...names: string[]): RunSpan[] {
  return names.map((name, index) => ({
    id: index + 1,
    parentId: 0,
    route: `POST /agent/${name}`,
    startedAt: index,
    endedAt: index + 1,
    input: null,
    output: null,
    chunks: 0,
    error: null,
  }))
}

describe('pairSpans', () => {
  it('pairs spans of both runs and returns other spans separately', () => {
    const pairs = pairSpans(createRun({ spans: spansOf('x', 'y') }), createRun({ spans: spansOf('y', 'z') }))
    expect(pairs.map(({ name, depth, a, b }) => [name.slice(12), depth, a?.id, b?.id])).toEqual([
      ['echo', 0, 0, 0],
      ['x', 1, 1, undefined],
      ['y', 1, 2, 1],
      ['z', 1, undefined, 2],
    ])
  })

  it('never pairs spans with different names', () => {
    const pairs = pairSpans(createRun({ spans: spansOf('x') }), createRun({ spans: spansOf('y') }))
    expect(pairs.filter(({ a, b }) => a !== undefined && b !== undefined)).toHaveLength(1)
    expect(pairs).toHaveLength(3)
  })
})
