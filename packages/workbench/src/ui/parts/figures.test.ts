import { describe, expect, it } from 'vitest'
import { toDuration, toSize } from './figures.ts'

describe('toDuration and toSize', () => {
  it('round as people read', () => {
    expect([4.24, 41.7, 1530].map(toDuration)).toEqual(['4.2 ms', '42 ms', '1.53 s'])
    expect([64, 1530].map(toSize)).toEqual(['64 B', '1.5 kB'])
  })
})
