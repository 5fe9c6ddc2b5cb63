import { describe, expect, it } from 'vitest'
import { codeFrame } from './code-frame.ts'

const SOURCE = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')

describe('codeFrame', () => {
  it('marks the position between the surrounding lines', () => {
    expect(codeFrame(SOURCE, { line: 9, column: 3 }, 1)).toBe(
      ['   8 | line 8', '>  9 | line 9', '     |   ^', '  10 | line 10'].join('\n'),
    )
  })

  it('stays inside the file', () => {
    expect(codeFrame('only', { line: 1, column: 5 })).toBe(['> 1 | only', '    |     ^'].join('\n'))
  })
})
