import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('createTurns', () => {
  it('does work on one row in order, and on others beside it', async () => {
    const inTurn = createTurns()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} ends`)
      return name
    }
    const all = [inTurn(1, work('a')), inTurn(1, work('b')), inTurn(2, work('c'))]
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
    expect(seen.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(seen.indexOf('c begins')).toBeLessThan(seen.indexOf('a ends'))
  })

  it('tells who had to wait', async () => {
    const inTurn = createTurns()
    const told = (hasWaited: boolean): Promise<boolean> => Promise.resolve(hasWaited)
    expect(await Promise.all([inTurn(1, told), inTurn(1, told), inTurn(2, told)])).toEqual([false, true, false])
    expect(await inTurn(1, told)).toBe(false)
  })

  it('goes on after a failure, and does not wait for ever', async () => {
    const inTurn = createTurns(1)
    await expect(inTurn(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    void inTurn(1, () => new Promise(() => {}))
    expect(await inTurn(1, () => Promise.resolve('after'))).toBe('after')
  })
})
