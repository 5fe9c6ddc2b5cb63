import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'
import { toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget } from './stored-text.ts'

describe('Spans', () => {
  it('counts all chunks of a long nested stream and stores the first ones', () => {
    const spans = new Spans({
      budget: new TextBudget({ size: 0 }),
      at: () => 0,
      toError: (thrown) => toRunError(thrown, import.meta.dirname),
    })
    const span = spans.open('POST /agent/endless', null, 0)
    for (let n = 0; n < 50_000; n++) span.onChunk(n % 10)
    span.onEnd({})
    const [seen] = spans.toSpans(createRedactor())
    expect(seen).toMatchObject({ chunks: 50_000, output: { isCut: true, bytes: 40_000 } })
    expect(seen?.output?.text).toHaveLength(40_000)
  })
})
