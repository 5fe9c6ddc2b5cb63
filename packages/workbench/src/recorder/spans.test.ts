import type { ModelStepStart } from '@sdk/server/node'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'
import { toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget } from './stored-text.ts'

describe('Spans', () => {
  it('counts all chunks of a long nested stream and stores the first ones', () => {
    const spans = createSpans()
    const span = spans.open('POST /agent/endless', null, { parentId: 0 })
    for (let n = 0; n < 50_000; n++) span.onChunk(n % 10)
    span.onEnd({})
    const [seen] = spans.toSpans(createRedactor())
    expect(seen).toMatchObject({ chunks: 50_000, output: { isCut: true, bytes: 40_000 } })
    expect(seen?.output?.text).toHaveLength(40_000)
  })

  it('stores the messages that each step of a model call adds', () => {
    const spans = createSpans()
    const messages: unknown[] = [{ role: 'user', content: 'Tea?' }]
    for (let index = 0; index < 3; index++) {
      spans.models.open({ ...STEP, index, messages: [...messages] }, 0).onEnd(END)
      messages.push({ role: 'tool', content: `result ${index}` })
    }
    const steps = spans.models.toSteps(createRedactor()).map(({ input }) => JSON.parse(input.text) as object)
    expect(steps).toMatchObject([
      { earlier: 0, messages: [{ content: 'Tea?' }] },
      { earlier: 1, messages: [{ content: 'result 0' }] },
      { earlier: 2, messages: [{ content: 'result 1' }] },
    ])
  })

  it('redacts secrets in model calls and omits the content of files', () => {
    const spans = createSpans()
    const content = [
      { type: 'text', text: 'use sk-proj-Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8' },
      { type: 'file', data: new Uint8Array(5_000) },
      { type: 'file', data: Buffer.alloc(6_000) },
      { type: 'image', image: 'A'.repeat(50_000) },
    ]
    const step = spans.models.open({ ...STEP, messages: [{ role: 'user', content }] }, 0)
    step.onEnd({ ...END, content: [{ type: 'tool-call', input: { apiKey: 'S3CR3T' } }] })
    const [stored] = spans.models.toSteps(createRedactor())
    expect(stored?.input.text).toContain('(5000 bytes)')
    expect(stored?.input.text).toContain('(6000 bytes)')
    expect(stored?.input.text).toContain('… (50000 characters)')
    expect(stored?.input.text.length).toBeLessThan(25_000)
    expect(JSON.stringify(stored)).not.toMatch(/Aa1Bb2|S3CR3T/)
  })

  it('limits the size of a step', () => {
    const spans = createSpans()
    const messages = Array.from({ length: 1_000 }, () => ({ role: 'user', content: 'x'.repeat(1_000) }))
    spans.models.open({ ...STEP, messages }, 0)
    const [stored] = spans.models.toSteps(createRedactor())
    expect(stored?.input).toMatchObject({ isCut: true })
    expect(stored?.input.text).toHaveLength(100_000)
    expect(stored?.input.bytes).toBeGreaterThan(1_000_000)
  })

  it('links a nested run to the only tool call that is executing', () => {
    const spans = createSpans()
    const step = spans.models.open(STEP, 0)
    step.onToolStart({ id: 'a', name: 'weather' })
    spans.open('POST /agent/weather', {}, { parentId: 0 })
    step.onToolStart({ id: 'b', name: 'weather' })
    spans.open('POST /agent/weather', {}, { parentId: 0 })
    spans.open('POST /agent/weather', {}, { parentId: 0, toolCallId: 'b' })
    expect(spans.toSpans(createRedactor()).map(({ toolCallId }) => toolCallId)).toEqual(['a', undefined, 'b'])
  })
})

const STEP: ModelStepStart = {
  call: 1,
  index: 0,
  provider: 'mock',
  model: 'mock-1',
  system: undefined,
  messages: [],
  tools: {},
}

const END = { finishReason: 'stop', tokens: null, content: null, firstMs: null }

function createSpans(): Spans {
  return new Spans({
    budget: new TextBudget({ size: 0 }),
    at: () => 0,
    toError: (thrown) => toRunError(thrown, import.meta.dirname),
    resume() {},
    changed() {},
  })
}
