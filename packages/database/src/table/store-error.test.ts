import { describe, expect, it } from 'vitest'
import { toStoreError } from './store-error.ts'

describe('toStoreError', () => {
  const layout = {
    table: '"notes"',
    columns: [{ field: 'title', name: 'title', type: 'string' }],
    version: 'version',
  } as const
  const missing = (column: string): Error => Object.assign(new Error('null value'), { code: '23502', column })

  it('returns a 400 for a missing value of a column that callers can set', () => {
    expect(toStoreError(missing('title'), layout, 'write')).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ pointer: '/title' }],
    })
  })

  it('returns the error itself for a column of a newer version, so that it is logged as a 500', () => {
    const error = missing('language')
    expect(toStoreError(error, layout, 'write')).toBe(error)
  })
})
