import { describe, expect, it } from 'vitest'
import { hideTokens } from './hide-tokens.ts'

describe('hideTokens', () => {
  const known = new Set(['of this session'])

  it('takes the tokens out of sessions, wherever they are', () => {
    const session = { id: '1', userId: 'ada', expiresAt: '2030-01-01', token: 'of another session' }
    const hidden = { id: '1', userId: 'ada', expiresAt: '2030-01-01' }
    expect(hideTokens([session], known)).toEqual([hidden])
    expect(hideTokens({ session, user: { id: 'ada' } }, known)).toEqual({ session: hidden, user: { id: 'ada' } })
    expect(hideTokens({ list: [{ session }] }, known)).toEqual({ list: [{ session: hidden }] })
  })

  it('takes out the token that the cookie has', () => {
    expect(hideTokens({ token: 'of this session', redirect: false }, known)).toEqual({ redirect: false })
  })

  it('leaves tokens that mean something else', () => {
    const others = [{ token: 'a.b.c', expiresAt: '2030-01-01' }, { token: null }, null, 'of this session', 7]
    for (const value of others) expect(hideTokens(value, known)).toEqual(value)
  })
})
