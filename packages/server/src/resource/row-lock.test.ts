import { describe, expect, it } from 'vitest'
import { createRowLock } from './row-lock.ts'

const nothing = Promise.resolve()

describe('createRowLock', () => {
  it('runs work on one row in order and on other rows concurrently', async () => {
    const withLock = createRowLock()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} ends`)
      return name
    }
    const all = [withLock(1, nothing, work('a')), withLock(1, nothing, work('b')), withLock(2, nothing, work('c'))]
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
    expect(seen.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(seen.indexOf('c begins')).toBeLessThan(seen.indexOf('a ends'))
  })

  it('keeps the order of the calls, even if a later one finds the row first', async () => {
    const withLock = createRowLock()
    const seen: string[] = []
    const slow = new Promise<void>((resolve) => setImmediate(resolve))
    const work = (name: string) => async () => void seen.push(name)
    await Promise.all([withLock(1, slow, work('a')), withLock(1, nothing, work('b'))])
    expect(seen).toEqual(['a', 'b'])
  })

  it('passes the found row and whether the work had to wait', async () => {
    const withLock = createRowLock()
    const report = (found: string, hasWaited: boolean): Promise<string> => Promise.resolve(`${found} ${hasWaited}`)
    const lock = (id: number, found: string) => withLock(id, Promise.resolve(found), report)
    expect(await Promise.all([lock(1, 'a'), lock(1, 'b'), lock(2, 'c')])).toEqual(['a false', 'b true', 'c false'])
    expect(await lock(1, 'd')).toBe('d false')
  })

  it('rejects immediately if the lookup fails, and keeps later work waiting', async () => {
    const withLock = createRowLock()
    const seen: string[] = []
    let finish = (): void => {}
    const first = withLock(1, nothing, async () => {
      await new Promise<void>((resolve) => (finish = resolve))
      seen.push('first')
    })
    await expect(withLock(1, Promise.reject(new Error('none')), () => nothing)).rejects.toThrow('none')
    const third = withLock(1, nothing, async () => void seen.push('third'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
    finish()
    await Promise.all([first, third])
    expect(seen).toEqual(['first', 'third'])
    await expect(withLock(1, Promise.reject(new Error('none')), () => nothing)).rejects.toThrow('none')
    expect(await withLock(1, nothing, (_, hasWaited) => Promise.resolve(hasWaited))).toBe(false)
  })

  it('continues after a failure and after a timeout', async () => {
    const withLock = createRowLock(1)
    await expect(withLock(1, nothing, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    void withLock(1, nothing, () => new Promise(() => {}))
    expect(await withLock(1, nothing, () => Promise.resolve('after'))).toBe('after')
  })
})
