import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { parseWorkers } from './worker-count.ts'

describe('parseWorkers', () => {
  it.each([
    [undefined, 1],
    ['', 1],
    ['1', 1],
    ['128', 128],
    ['auto', availableParallelism()],
  ])('parses %j as %d', (text, count) => {
    expect(parseWorkers(text)).toBe(count)
  })

  it.each(['0', '-1', '2.5', '129', 'all', 'NaN'])('rejects %j', (text) => {
    expect(() => parseWorkers(text)).toThrow(`must be auto or a number from 1 to 128, got "${text}"`)
  })
})
