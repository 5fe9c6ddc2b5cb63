import { describe, expect, it } from 'vitest'
import { nearest } from './closest-match.ts'

const COMMANDS = ['dev', 'build', 'start', 'list', 'types']

describe('nearest', () => {
  it.each([
    ['biuld', 'build'],
    ['strat', 'start'],
    ['lst', 'list'],
    ['DEV', 'dev'],
    ['typed', 'types'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, COMMANDS)).toBe(meant)
  })

  it.each(['deploy', 'x', ''])('does not guess at %j', (word) => {
    expect(nearest(word, COMMANDS)).toBeUndefined()
  })
})
