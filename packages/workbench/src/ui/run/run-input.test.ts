import { describe, expect, it } from 'vitest'
import { inputOf, inputOfSpan, isLost } from './run-input.ts'
import { createTestRun } from './test-run.test.fixture.ts'

const whole = (text: string): { text: string; bytes: number; isCut: boolean } => ({
  text,
  bytes: text.length,
  isCut: false,
})

describe('inputOf', () => {
  it('has the body, the params, the query and the headers that were typed', () => {
    const run = createTestRun({
      route: 'PATCH /api/v1/tasks/:id',
      target: '/api/v1/tasks/a%2Fb?dry=yes',
      request: {
        headers: [
          ['host', '127.0.0.1'],
          ['content-type', 'application/json'],
          ['x-tenant', 'a'],
          ['x-sdk-caller', 'workbench'],
        ],
        body: whole('{"done":true}'),
      },
    })
    expect(inputOf(run)).toEqual({
      body: '{\n  "done": true\n}',
      headers: [['x-tenant', 'a']],
      params: { id: 'a/b' },
      query: { dry: 'yes' },
    })
  })

  it('leaves out a body that is not whole, and keeps one that is no JSON', () => {
    const cut = { ...whole('{"a'), isCut: true }
    expect(inputOf(createTestRun({ request: { headers: [], body: cut } })).body).toBe('')
    expect(isLost(cut)).toBe(true)
    expect(inputOf(createTestRun({ request: { headers: [], body: whole('{"a') } })).body).toBe('{"a')
  })
})

describe('inputOfSpan', () => {
  it('is what the inner agent got', () => {
    const span = {
      id: 2,
      parentId: 0,
      route: 'POST /agent/greet',
      startedAt: 1,
      endedAt: 2,
      input: whole('{"name":"Ada"}'),
      output: null,
      chunks: 0,
      error: null,
    }
    const run = createTestRun({ spans: [span] })
    expect(inputOfSpan(run, 2)?.body).toBe('{\n  "name": "Ada"\n}')
    expect(inputOfSpan(run, 3)).toBeUndefined()
  })
})
