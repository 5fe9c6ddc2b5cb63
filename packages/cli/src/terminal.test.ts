import { describe, expect, it } from 'vitest'
import { createTerminalStyle } from '@sdk/server/node'
import { hasColours, toTable } from './terminal.ts'

describe('hasColours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ])('with %j and isTerminal %s returns %s', (env, isTerminal, expected) => {
    expect(hasColours(env, isTerminal)).toBe(expected)
  })
})

describe('createTerminalStyle', () => {
  it('adds escape codes only if colors are enabled', () => {
    expect(createTerminalStyle(false).red('x')).toBe('x')
    expect(createTerminalStyle(true).red('x')).toBe('\u001B[31mx\u001B[39m')
  })
})

describe('toTable', () => {
  it('aligns columns without trailing spaces', () => {
    expect(
      toTable([
        ['a', 'long', ''],
        ['bbb', 'c', 'd'],
      ]),
    ).toEqual(['a    long', 'bbb  c     d'])
  })

  it('supports many rows', () => {
    expect(toTable(Array.from({ length: 300_000 }, () => ['a', 'b']))).toHaveLength(300_000)
  })
})
