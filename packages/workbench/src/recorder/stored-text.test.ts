import { describe, expect, it } from 'vitest'
import { TextBudget } from './stored-text.ts'

describe('TextBudget', () => {
  it('stores no text after it is released', () => {
    const held = { size: 0 }
    const budget = new TextBudget(held)
    expect(budget.take('early')).toBe('early')
    expect(held.size).toBe(5)
    budget.release()
    expect(budget.take('a handler logs after its answer')).toEqual({ piece: '', bytes: 31 })
    budget.release()
    expect(held.size).toBe(0)
  })
})
