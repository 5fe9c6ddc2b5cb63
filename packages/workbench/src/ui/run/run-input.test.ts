import { describe, expect, it } from 'vitest'
import { inputOfSpan, isLost } from './run-input.ts'
import { createTestRun, createTestSpan } from './test-run.test.fixture.ts'

describe('inputOfSpan', () => {
  it('returns the input of a nested agent', () => {
    const input = { text: '{"name":"Ada"}', bytes: 14, isCut: false }
    const run = createTestRun({ spans: [createTestSpan({ id: 2, input })] })
    expect(inputOfSpan(run, 2)?.body).toBe('{"name":"Ada"}')
    expect(inputOfSpan(run, 3)).toBeUndefined()
  })

  it('returns undefined if the input was truncated', () => {
    const input = { text: '{"na', bytes: 14, isCut: true }
    expect(isLost(input)).toBe(true)
    expect(inputOfSpan(createTestRun({ spans: [createTestSpan({ input })] }), 1)).toBeUndefined()
  })
})
