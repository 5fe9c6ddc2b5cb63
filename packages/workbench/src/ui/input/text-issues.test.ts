import { describe, expect, it } from 'vitest'
import { toTextIssues } from './text-issues.ts'

describe('toTextIssues', () => {
  const text = '{"a": [1, "x"], "b": {"__proto__": 2}}'

  it.each([
    ['/a/1', '"x"'],
    ['/b/__proto__', '2'],
    ['/b', '{'],
    ['/b/missing', '{'],
    ['', '{'],
  ])('marks %s', (pointer, stretch) => {
    const [issue] = toTextIssues(text, [{ pointer, message: 'is wrong' }])
    expect(text.slice(issue?.from, issue?.to)).toBe(stretch)
  })

  it('returns only the syntax error if the text is not JSON', () => {
    expect(toTextIssues('{"a": }', [{ pointer: '/a', message: 'is wrong' }])).toEqual([
      { from: 6, to: 7, message: 'expected a value, found "}"' },
    ])
    expect(toTextIssues('[1,', [])).toEqual([{ from: 2, to: 3, message: 'expected a value, found the end' }])
    expect(toTextIssues('', [])).toEqual([])
  })
})
