import { describe, expect, it } from 'vitest'
import { RecordedFrames } from './recorded-frames.ts'
import { createRedactor } from './redact.ts'

const redactor = createRedactor()

describe('RecordedFrames', () => {
  it('stores the newest 5,000 frames and counts all frames', () => {
    const frames = new RecordedFrames({ size: 0 })
    for (let n = 0; n < 12_345; n++) frames.add(String(n), 'client', n)
    const kept = frames.toChunks(redactor)
    expect([frames.count, kept.length, kept[0]?.text, kept.at(-1)?.text]).toEqual([12_345, 5_000, '7345', '12344'])
  })

  it('stores the newest megabyte', () => {
    const frames = new RecordedFrames({ size: 0 })
    for (let n = 0; n < 30; n++) frames.add('x'.repeat(100_000), 'server', n)
    expect(frames.toChunks(redactor).map(({ at }) => at)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    expect(frames.bytes).toBe(3_000_000)
  })

  it('truncates a larger frame and records its size', () => {
    const frames = new RecordedFrames({ size: 0 })
    frames.add('ä'.repeat(2_000_000), 'server', 1)
    const [only] = frames.toChunks(redactor)
    expect([only?.text.length, only?.bytes, only?.isCut]).toEqual([1_000_000, 4_000_000, true])
  })

  it('limits the total size of a thousand connections, and frees it when they are released', () => {
    const held = { size: 0 }
    const all = Array.from({ length: 1_000 }, () => new RecordedFrames(held))
    for (let n = 0; n < 10; n++) for (const frames of all) frames.add('x'.repeat(10_000), 'server', n)
    expect(held.size).toBeLessThanOrEqual(32_000_000)
    for (const frames of all) {
      expect(frames.count).toBe(10)
      expect(frames.toChunks(redactor).at(-1)?.at).toBe(9)
      frames.release()
      frames.release()
    }
    expect(held.size).toBe(0)
  })
})
