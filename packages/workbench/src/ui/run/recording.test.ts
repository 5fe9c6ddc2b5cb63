import { describe, expect, it } from 'vitest'
import { createRecorder, isBuffered } from './recording.ts'

describe('createRecorder', () => {
  it('keeps when each chunk came and how large it was', () => {
    let time = 100
    const recorder = createRecorder(() => time)
    recorder.start()
    time = 112
    recorder.add({ a: 'ä' })
    time = 150
    recorder.add('b')
    expect(recorder.snapshot()).toEqual([
      { value: { a: 'ä' }, at: 12, bytes: 10 },
      { value: 'b', at: 50, bytes: 3 },
    ])
    expect(recorder.elapsed()).toBe(50)
  })

  it('begins anew with every run', () => {
    const recorder = createRecorder(() => 0)
    recorder.add(1)
    recorder.start()
    expect(recorder.snapshot()).toEqual([])
  })
})

describe('isBuffered', () => {
  it.each([
    [[1, 1.2, 1.4], true],
    [[1, 20, 40], false],
    [[1, 1], false],
    [[], false],
  ])('of arrivals at %j is %s', (times, expected) => {
    const chunks = times.map((at) => ({ value: 0, at, bytes: 1 }))
    expect(isBuffered({ chunks, total: null })).toBe(expected)
  })
})
