import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromAuthorization, fromSubprotocols, SUBPROTOCOL, toAuthorization, toSubprotocols } from './index.ts'

const bearer = fc.stringMatching(/^[\w.~+/-]+={0,2}$/)
const token = fc.stringMatching(/^[\w.~+-]+$/)

describe('the Authorization header', () => {
  it('contains the token', () => {
    expect(toAuthorization('a.b-c')).toBe('Bearer a.b-c')
    fc.assert(fc.property(bearer, (sent) => fromAuthorization(toAuthorization(sent)) === sent))
  })

  it('is parsed regardless of letter case and spaces', () => {
    expect(fromAuthorization('  bearer   abc ')).toBe('abc')
  })

  it.each([
    null,
    undefined,
    '',
    'abc',
    'Basic YTpi',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer "a"',
    'Bearer =a',
    'Bearer ä',
  ])('has no token in %j', (header) => {
    expect(fromAuthorization(header)).toBeNull()
  })

  it.each(['', 'a b', 'a\r\nx-evil: 1', 'ä', '"a"', '='])('cannot contain %j', (bad) => {
    expect(() => toAuthorization(bad)).toThrow(TypeError)
  })

  it('is parsed to a valid token or null for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = fromAuthorization(text) ?? fromAuthorization(`Bearer ${text}`)
        expect(read === null || toAuthorization(read) === `Bearer ${read}`).toBe(true)
      }),
    )
  })
})

describe('the subprotocols of a socket', () => {
  it('contain a token next to the SDK protocol', () => {
    expect(toSubprotocols('t.o-k')).toEqual(['sdk.v1', 'sdk.token.t.o-k'])
    expect(toSubprotocols(null)).toEqual([SUBPROTOCOL])
    fc.assert(
      fc.property(fc.option(token), (sent) => {
        expect(fromSubprotocols(toSubprotocols(sent).join(', '))).toEqual({ isSdk: true, token: sent })
      }),
    )
  })

  it('can lack the SDK protocol, as those of a raw client', () => {
    expect(fromSubprotocols(null)).toEqual({ isSdk: false, token: null })
    expect(fromSubprotocols('')).toEqual({ isSdk: false, token: null })
    expect(fromSubprotocols('graphql-ws,sdk.token.abc')).toEqual({ isSdk: false, token: 'abc' })
    expect(fromSubprotocols('sdk.v10')).toEqual({ isSdk: false, token: null })
  })

  it.each(['sdk.token.', 'sdk.token.a b', 'sdk.token.a/b', 'sdk.token.ä', 'sdk.token'])(
    'have no token in %j',
    (header) => {
      expect(fromSubprotocols(header).token).toBeNull()
    },
  )

  it.each(['', 'a=', 'a/b', 'a,b', 'a b'])('cannot contain %j, for which new WebSocket() throws', (bad) => {
    expect(() => toSubprotocols(bad)).toThrow(TypeError)
  })
})
