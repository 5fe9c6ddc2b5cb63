import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CircularBuffer } from './circular-buffer.ts'

const WIDTH = 5

describe('CircularBuffer', () => {
  it('returns the stored items after a number, for any order of push and shift', () => {
    const step = fc.constantFrom('push', 'push', 'push', 'shift')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const buffer = new CircularBuffer<number>(WIDTH)
        let stored: number[] = []
        for (const name of steps) {
          if (name === 'push') {
            if (stored.length === WIDTH) drop()
            buffer.push(buffer.head + 1)
            stored.push(buffer.head)
          } else if (stored.length > 0) drop()
          expect([buffer.size, buffer.first()]).toEqual([stored.length, stored[0]])
          for (let number = -1; number <= buffer.head + 1; number += 1) {
            expect(buffer.after(number, Infinity)).toEqual(expected(number))
            expect(buffer.after(number, 2)).toEqual(expected(number)?.slice(0, 2))
          }

          function drop(): void {
            buffer.shift()
            stored = stored.slice(1)
          }

          function expected(number: number): number[] | undefined {
            const first = stored[0] ?? buffer.head + 1
            return number < first - 1 || number > buffer.head ? undefined : stored.filter((item) => item > number)
          }
        }
      }),
    )
  })

  it('returns undefined for a number outside of its range', () => {
    const buffer = new CircularBuffer<string>(WIDTH)
    buffer.push('one')
    for (const number of [0.5, NaN, Infinity, -Infinity, -1, 2]) expect(buffer.after(number, 10)).toBeUndefined()
    expect([buffer.after(0, 10), buffer.after(1, 10), buffer.after(0, 0), buffer.after(0, -1)]).toEqual([
      ['one'],
      [],
      [],
      [],
    ])
  })
})
