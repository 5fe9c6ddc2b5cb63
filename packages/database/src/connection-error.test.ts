import { describe, expect, it } from 'vitest'
import { isConnectionError } from './connection-error.ts'

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code })

describe('isConnectionError', () => {
  const codes = ['ECONNREFUSED', 'ENOTFOUND', '08006', '57P01', '57P03', '57P05', '25006', '25P03', '53100', '53300']
  it.each(codes)('is true for code %s', (code) => {
    expect(isConnectionError(withCode(code))).toBe(true)
  })

  it('is true for messages of the driver and for causes', () => {
    expect(isConnectionError(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isConnectionError(new Error('Cannot use a pool after calling end on the pool'))).toBe(true)
    expect(isConnectionError(new Error('wrapped', { cause: withCode('ECONNRESET') }))).toBe(true)
  })

  it.each([
    withCode('23505'),
    withCode('57014'),
    withCode('53400'),
    new Error('syntax error'),
    'ECONNREFUSED',
    undefined,
  ])('is false for %s, which is not a connection error', (error) => {
    expect(isConnectionError(error)).toBe(false)
  })
})
