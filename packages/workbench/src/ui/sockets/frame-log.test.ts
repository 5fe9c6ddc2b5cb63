import { describe, expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.test.fixture.ts'
import { createFrameLog } from './frame-log.ts'

describe('createFrameLog', () => {
  it('keeps the latest frames, and counts the dropped ones', () => {
    const clock = createFakeClock()
    const log = createFrameLog({ clock, limit: 3 })
    for (let n = 1; n <= 10; n++) log.add({ from: 'server', text: `${n}` })
    clock.advance(20)
    expect(log.get().frames.map(({ id, text }) => [id, text])).toEqual([
      [8, '8'],
      [9, '9'],
      [10, '10'],
    ])
    expect(log.get().dropped).toBe(7)
    log.clear()
    expect(log.get()).toEqual({ frames: [], dropped: 0 })
    log.add({ from: 'client', text: '11' })
    clock.advance(20)
    expect(log.get()).toMatchObject({ frames: [{ id: 11 }], dropped: 0 })
  })

  it('notifies listeners in batches if many frames arrive together', () => {
    const clock = createFakeClock()
    const log = createFrameLog({ clock })
    let changes = 0
    log.subscribe(() => changes++)
    for (let n = 0; n < 1000; n++) log.add({ from: 'server', text: 'x' })
    clock.advance(1000)
    expect([changes, log.get().frames.length]).toEqual([2, 1000])
  })

  it('counts bytes, not characters', () => {
    const log = createFrameLog({ clock: createFakeClock() })
    log.add({ from: 'client', text: '"é"' })
    expect(log.get().frames[0]?.bytes).toBe(4)
  })
})
