import { describe, expect, it } from 'vitest'
import { compareRows, onlyChanges, toDiffRows } from './diff-rows.ts'
import { diffJson } from './json-diff.ts'

describe('toDiffRows', () => {
  it('returns JSON Pointers into b, or into a for removed values', () => {
    const a = { 'a/b': 1, list: ['x', 'y', 'z'] }
    const b = { 'a/b': 2, list: ['y', 'z', 'new'], 'c~': null }
    const rows = onlyChanges(toDiffRows(diffJson(a, b)))
    expect(rows.map(({ kind, pointer }) => [kind, pointer])).toEqual([
      ['changed', '/a~1b'],
      ['removed', '/list/0'],
      ['added', '/list/2'],
      ['added', '/c~0'],
    ])
  })

  it('expands values with changes, and collapses equal ones', () => {
    const rows = toDiffRows(diffJson({ a: { b: 1 }, c: { d: 2 } }, { a: { b: 1 }, c: { d: 3 } }))
    expect(rows.map(({ kind, name, depth }) => [kind, name, depth])).toEqual([
      ['open', '', 0],
      ['same', 'a', 1],
      ['open', 'c', 1],
      ['changed', 'd', 2],
    ])
  })
})

describe('compareRows', () => {
  it('compares texts line by line', () => {
    const rows = compareRows({ kind: 'text', text: 'one\ntwo\nthree' }, { kind: 'text', text: 'one\nthree\nfour' })
    expect(rows.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['same', 'one', 'one'],
      ['removed', 'two', undefined],
      ['same', 'three', 'three'],
      ['added', undefined, 'four'],
    ])
  })

  it('compares JSON with text as text', () => {
    const rows = compareRows({ kind: 'json', value: { a: 1 } }, { kind: 'text', text: '{\n  "a": 1\n}' })
    expect(onlyChanges(rows)).toEqual([])
  })
})
