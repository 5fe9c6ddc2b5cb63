import { describe, expect, it } from 'vitest'
import { hideTokens } from './hide-tokens.ts'

describe('hideTokens', () => {
  const known = new Set(['of this session'])

  it('removes the tokens of sessions at any depth', () => {
    const session = { id: '1', userId: 'ada', expiresAt: '2030-01-01', token: 'of another session' }
    const hidden = { id: '1', userId: 'ada', expiresAt: '2030-01-01' }
    expect(hideTokens([session], known)).toEqual([hidden])
    expect(hideTokens({ session, user: { id: 'ada' } }, known)).toEqual({ session: hidden, user: { id: 'ada' } })
    expect(hideTokens({ list: [{ session }] }, known)).toEqual({ list: [{ session: hidden }] })
  })

  it('removes the token of the current session', () => {
    expect(hideTokens({ token: 'of this session', redirect: false }, known)).toEqual({ redirect: false })
  })

  it('keeps other tokens', () => {
    const others = [{ token: 'a.b.c', expiresAt: '2030-01-01' }, { token: null }, null, 'of this session', 7]
    for (const value of others) expect(hideTokens(value, known)).toEqual(value)
  })
})
