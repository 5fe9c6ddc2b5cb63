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
  it('never loses or reorders frames, with any pauses and delays', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = createFakeClock()
        const frameDelay = createFrameDelay(clock)
        const out: number[] = []
        let count = 0
        let isHeld = false
        for (const one of steps) {
          const before = out.length
          if ('put' in one) {
            const number = count++
            frameDelay.put(() => out.push(number))
          } else if ('hold' in one) frameDelay.hold((isHeld = one.hold))
          else if ('delay' in one) frameDelay.setDelay(one.delay)
          else clock.advance(one.wait)
          expect(out).toEqual(Array.from({ length: out.length }, (_, index) => index))
          expect(out.length + frameDelay.size()).toBe(count)
          expect(!isHeld || out.length === before).toBe(true)
        }
        frameDelay.hold(false)
        clock.advance(500)
        expect(out).toHaveLength(count)
        expect(clock.waiting).toBe(0)
      }),
    )
  })

  it('passes frames through immediately by default', () => {
    const out: string[] = []
    createFrameDelay(createFakeClock()).put(() => out.push('a'))
    expect(out).toEqual(['a'])
  })

  it('delays frames by the given time, and holds them until they are released', () => {
    const clock = createFakeClock()
    const frameDelay = createFrameDelay(clock)
    const out: string[] = []
    frameDelay.setDelay(100)
    frameDelay.put(() => out.push('a'))
    clock.advance(99)
    expect(out).toEqual([])
    clock.advance(1)
    expect(out).toEqual(['a'])
    frameDelay.put(() => out.push('b'))
    frameDelay.hold(true)
    clock.advance(1000)
    expect(out).toEqual(['a'])
    frameDelay.hold(false)
    expect(out).toEqual(['a', 'b'])
  })

  it('drops frames in transit when it is cut, and leaves no timer', () => {
    const clock = createFakeClock()
    const frameDelay = createFrameDelay(clock)
    frameDelay.setDelay(100)
    frameDelay.put(() => expect.unreachable())
    frameDelay.cut()
    frameDelay.put(() => expect.unreachable())
    clock.advance(1000)
    expect([frameDelay.size(), clock.waiting]).toEqual([0, 0])
  })
})
