import { describe, expect, it } from 'vitest'
import { findStaleFaults } from '../scripts/faults/fault.ts'
import { FAULTS } from '../scripts/faults/list.ts'

describe('npm run faults', () => {
  it('finds the code and the tests of every fault', () => {
    expect(findStaleFaults(FAULTS)).toEqual([])
  })
})
