import { describe, expect, it } from 'vitest'
import { createRowLock } from './row-lock.ts'

const nothing = Promise.resolve()

describe('createTurns', () => {
  it('does work on one row in order, and on others beside it', async () => {
    const inTurn = createRowLock()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} ends`)
      return name
    }
    const all = [inTurn(1, nothing, work('a')), inTurn(1, nothing, work('b')), inTurn(2, nothing, work('c'))]
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
    expect(seen.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(seen.indexOf('c begins')).toBeLessThan(seen.indexOf('a ends'))
  })

  it('keeps the order in which they came, whoever finds the row first', async () => {
    const inTurn = createRowLock()
    const seen: string[] = []
    const slow = new Promise<void>((resolve) => setImmediate(resolve))
    const work = (name: string) => async () => void seen.push(name)
    await Promise.all([inTurn(1, slow, work('a')), inTurn(1, nothing, work('b'))])
    expect(seen).toEqual(['a', 'b'])
  })

  it('tells who had to wait, and gives what was found', async () => {
    const inTurn = createRowLock()
    const told = (found: string, hasWaited: boolean): Promise<string> => Promise.resolve(`${found} ${hasWaited}`)
    const ask = (id: number, found: string) => inTurn(id, Promise.resolve(found), told)
    expect(await Promise.all([ask(1, 'a'), ask(1, 'b'), ask(2, 'c')])).toEqual(['a false', 'b true', 'c false'])
    expect(await ask(1, 'd')).toBe('d false')
  })

  it('lets who finds nothing leave at once, and lets nobody pass by that', async () => {
    const inTurn = createRowLock()
    const seen: string[] = []
    let finish = (): void => {}
    const first = inTurn(1, nothing, async () => {
      await new Promise<void>((resolve) => (finish = resolve))
      seen.push('first')
    })
    await expect(inTurn(1, Promise.reject(new Error('none')), () => nothing)).rejects.toThrow('none')
    const third = inTurn(1, nothing, async () => void seen.push('third'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
    finish()
    await Promise.all([first, third])
    expect(seen).toEqual(['first', 'third'])
    await expect(inTurn(1, Promise.reject(new Error('none')), () => nothing)).rejects.toThrow('none')
    expect(await inTurn(1, nothing, (_, hasWaited) => Promise.resolve(hasWaited))).toBe(false)
  })

  it('goes on after a failure, and does not wait for ever', async () => {
    const inTurn = createRowLock(1)
    await expect(inTurn(1, nothing, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    void inTurn(1, nothing, () => new Promise(() => {}))
    expect(await inTurn(1, nothing, () => Promise.resolve('after'))).toBe('after')
  })
})
