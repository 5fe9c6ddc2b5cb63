import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAddress, fromAddress, withFilter, type AddressFilter } from './filter-address.ts'

const text = fc.string({ minLength: 1 })
const filters: fc.Arbitrary<AddressFilter> = fc.record(
  {
    route: text,
    status: text,
    caller: text,
    identity: text,
    requestId: text,
    search: text,
    slower: fc.integer({ min: 1, max: 1e9 }),
  },
  { requiredKeys: [] },
)

describe('fromAddress', () => {
  it('reads the result of toAddress', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(fromAddress(new URLSearchParams(toAddress(filter).toString()))).toEqual(filter)
      }),
    )
  })

  it('ignores unknown parameters and invalid numbers', () => {
    expect(fromAddress(new URLSearchParams('slower=-1&before=9&limit=3&x=y&route='))).toEqual({})
    expect(fromAddress(new URLSearchParams('slower=1e999'))).toEqual({})
    expect(fromAddress(new URLSearchParams('slower=fast&status=404'))).toEqual({ status: '404' })
  })
})

describe('withFilter', () => {
  it('adds the filter to a link, and does not change the link without a filter', () => {
    expect(withFilter('/runs/7', { status: 'failed' })).toBe('/runs/7?status=failed')
    expect(withFilter('/runs/7', { search: '', slower: 0 })).toBe('/runs/7')
  })
})
