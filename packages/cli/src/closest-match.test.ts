import { describe, expect, it } from 'vitest'
import { closestMatch } from './closest-match.ts'

const COMMANDS = ['dev', 'build', 'start', 'list', 'types']

describe('closestMatch', () => {
  it.each([
    ['biuld', 'build'],
    ['strat', 'start'],
    ['lst', 'list'],
    ['DEV', 'dev'],
    ['typed', 'types'],
  ])('matches %s to %s', (word, meant) => {
    expect(closestMatch(word, COMMANDS)).toBe(meant)
  })

  it.each(['deploy', 'x', ''])('returns undefined for %j', (word) => {
    expect(closestMatch(word, COMMANDS)).toBeUndefined()
  })
})
