import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CircularBuffer } from './circular-buffer.ts'

const WIDTH = 5

describe('Ring', () => {
  it('knows all that is kept by its number, however items come and go', () => {
    const step = fc.constantFrom('push', 'push', 'push', 'shift')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ring = new CircularBuffer<number>(WIDTH)
        let kept: number[] = []
        for (const name of steps) {
          if (name === 'push') {
            if (kept.length === WIDTH) drop()
            ring.push(ring.head + 1)
            kept.push(ring.head)
          } else if (kept.length > 0) drop()
          expect([ring.size, ring.first()]).toEqual([kept.length, kept[0]])
          for (let number = -1; number <= ring.head + 1; number += 1) {
            expect(ring.after(number, Infinity)).toEqual(expected(number))
            expect(ring.after(number, 2)).toEqual(expected(number)?.slice(0, 2))
          }

          function drop(): void {
            ring.shift()
            kept = kept.slice(1)
          }

          function expected(number: number): number[] | undefined {
            const first = kept[0] ?? ring.head + 1
            return number < first - 1 || number > ring.head ? undefined : kept.filter((item) => item > number)
          }
        }
      }),
    )
  })

  it('has nothing after what is no number of an item', () => {
    const ring = new CircularBuffer<string>(WIDTH)
    ring.push('one')
    for (const number of [0.5, NaN, Infinity, -Infinity, -1, 2]) expect(ring.after(number, 10)).toBeUndefined()
    expect([ring.after(0, 10), ring.after(1, 10), ring.after(0, 0), ring.after(0, -1)]).toEqual([['one'], [], [], []])
  })
})
