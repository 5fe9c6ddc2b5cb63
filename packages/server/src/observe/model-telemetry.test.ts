import { describe, expect, it } from 'vitest'
import type { ModelStepEnd, ModelStepStart } from './model-step.ts'
import { createModelTelemetry } from './model-telemetry.ts'

type Integration = Record<string, ((event: object) => void) | undefined>

function record() {
  const ends: { start: ModelStepStart; end: ModelStepEnd }[] = []
  const sink = {
    onStepStart: () => undefined,
    onStepEnd: (start: ModelStepStart, end: ModelStepEnd) => void ends.push({ start, end }),
  }
  return { ends, telemetry: createModelTelemetry(() => sink) as Integration }
}

/** Reads the listeners as the AI SDK does at the start of a call. */
function begin(telemetry: Integration): Integration {
  return { ...telemetry }
}

const START = { provider: 'mock', modelId: 'mock-1', messages: [] }
const END = { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 } }

describe('createModelTelemetry', () => {
  it('has no listeners outside of a run', () => {
    const telemetry = createModelTelemetry(() => undefined) as Integration
    expect(telemetry['onStepStart']).toBeUndefined()
  })

  it('matches the events of concurrent calls, which have no ids in version 6', () => {
    const { ends, telemetry } = record()
    const [first, second] = [begin(telemetry), begin(telemetry)]
    first['onStepStart']?.({ model: { provider: 'mock', modelId: 'a' } })
    second['onStepStart']?.({ model: { provider: 'mock', modelId: 'b' } })
    second['onStepFinish']?.(END)
    first['onStepFinish']?.(END)
    expect(ends.map(({ start }) => start.model)).toEqual(['b', 'a'])
    expect(new Set(ends.map(({ start }) => start.call)).size).toBe(2)
  })

  it('counts a step once although version 7 reports its end twice', () => {
    const { ends, telemetry } = record()
    const call = begin(telemetry)
    call['onStepStart']?.(START)
    call['onStepFinish']?.(END)
    call['onStepEnd']?.(END)
    expect(ends).toHaveLength(1)
    expect(ends[0]?.end.tokens).toEqual({ input: 3, cached: 0, output: 2, reasoning: 0 })
  })

  it.each([
    { event: 'onStepError', finishReason: 'error' },
    { event: 'onError', finishReason: 'error' },
    { event: 'onAbort', finishReason: 'aborted' },
  ])('ends a step with $finishReason on $event', ({ event, finishReason }) => {
    const { ends, telemetry } = record()
    const call = begin(telemetry)
    call['onStepStart']?.(START)
    call[event]?.({ error: new Error('no luck') })
    expect(ends).toMatchObject([{ end: { finishReason, tokens: null } }])
  })

  it('reads the steps of generateObject in version 7', () => {
    const { ends, telemetry } = record()
    const call = begin(telemetry)
    call['onObjectStepStart']?.({
      provider: 'mock',
      modelId: 'mock-1',
      promptMessages: [{ role: 'user', content: 'Tea?' }],
    })
    call['onObjectStepEnd']?.({ ...END, objectText: '{"tea":true}', msToFirstChunk: 7 })
    expect(ends).toMatchObject([
      { start: { messages: [{ role: 'user' }] }, end: { firstMs: 7, content: [{ text: '{"tea":true}' }] } },
    ])
  })

  it('ignores usage that is not a number', () => {
    const { ends, telemetry } = record()
    const call = begin(telemetry)
    call['onStepStart']?.(START)
    call['onStepFinish']?.({ ...END, usage: { inputTokens: Number.NaN, outputTokens: -1 } })
    expect(ends[0]?.end.tokens).toEqual({ input: 0, cached: 0, output: 0, reasoning: 0 })
  })
})
