import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.test.fixture.ts'
import { createFrameDelay } from './frame-delay.ts'

const step = fc.oneof(
  fc.record({ put: fc.constant(true) }),
  fc.record({ hold: fc.boolean() }),
  fc.record({ delay: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ wait: fc.integer({ min: 0, max: 300 }) }),
)

describe('createFrameDelay', () => {
  it('loses and reorders nothing, however it is held and delayed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = createFakeClock()
        const lane = createFrameDelay(clock)
        const out: number[] = []
        let count = 0
        let isHeld = false
        for (const one of steps) {
          const before = out.length
          if ('put' in one) {
            const number = count++
            lane.put(() => out.push(number))
          } else if ('hold' in one) lane.hold((isHeld = one.hold))
          else if ('delay' in one) lane.setDelay(one.delay)
          else clock.advance(one.wait)
          expect(out).toEqual(Array.from({ length: out.length }, (_, index) => index))
          expect(out.length + lane.size()).toBe(count)
          expect(!isHeld || out.length === before).toBe(true)
        }
        lane.hold(false)
        clock.advance(500)
        expect(out).toHaveLength(count)
        expect(clock.waiting).toBe(0)
      }),
    )
  })

  it('lets through at once where nothing is done to it', () => {
    const out: string[] = []
    createFrameDelay(createFakeClock()).put(() => out.push('a'))
    expect(out).toEqual(['a'])
  })

  it('takes as long as it was told, and no less while held', () => {
    const clock = createFakeClock()
    const lane = createFrameDelay(clock)
    const out: string[] = []
    lane.setDelay(100)
    lane.put(() => out.push('a'))
    clock.advance(99)
    expect(out).toEqual([])
    clock.advance(1)
    expect(out).toEqual(['a'])
    lane.put(() => out.push('b'))
    lane.hold(true)
    clock.advance(1000)
    expect(out).toEqual(['a'])
    lane.hold(false)
    expect(out).toEqual(['a', 'b'])
  })

  it('loses all that is on its way when it is cut, and leaves no timer', () => {
    const clock = createFakeClock()
    const lane = createFrameDelay(clock)
    lane.setDelay(100)
    lane.put(() => expect.unreachable())
    lane.cut()
    lane.put(() => expect.unreachable())
    clock.advance(1000)
    expect([lane.size(), clock.waiting]).toEqual([0, 0])
  })
})
