import { describe, expect, it } from 'vitest'
import {
  chunkBytes,
  createResponseRecorder,
  fromRun,
  isBuffered,
  joinChunks,
  recordingSize,
  chunkText,
} from './recording.ts'
import { createTestRun } from '../test-run.test.fixture.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('createResponseRecorder', () => {
  it('records the times of the head and of each chunk, and the sizes', () => {
    let time = 100
    const recorder = createResponseRecorder(() => time)
    time = 104
    recorder.head(200, [['content-type', 'text/plain']])
    time = 112
    recorder.add(toBytes('ä'))
    time = 150
    recorder.end()
    expect(recorder.snapshot()).toEqual({
      status: 200,
      headers: [['content-type', 'text/plain']],
      headAt: 4,
      chunks: [{ at: 12, bytes: 2, isCut: false, data: toBytes('ä') }],
      total: 50,
    })
  })

  it('returns a list that later chunks do not change', () => {
    const recorder = createResponseRecorder(() => 0)
    const before = recorder.snapshot()
    recorder.add(toBytes('a'))
    expect(before.chunks).toEqual([])
  })
})

describe('fromRun', () => {
  it('reads recorded runs of the server, with text and bytes', () => {
    const run = createTestRun({
      status: 200,
      ms: 40,
      response: { at: 3, headers: [['a', 'b']] },
      pieces: [
        { at: 5, text: 'hä', bytes: 3, isCut: false },
        { at: 9, text: '/wA=', bytes: 2, isCut: false, encoding: 'base64' },
      ],
    })
    const recording = fromRun(run)
    expect(recording).toMatchObject({ status: 200, headAt: 3, total: 40, headers: [['a', 'b']] })
    expect(recording.chunks.map((chunk) => [...chunkBytes(chunk)])).toEqual([
      [0x68, 0xc3, 0xa4],
      [0xff, 0],
    ])
    expect(recording.chunks.map(chunkText)).toEqual(['hä', '\uFFFD\0'])
    expect(recordingSize(recording)).toBe(5)
    expect([...joinChunks(recording.chunks, 4)]).toEqual([0x68, 0xc3, 0xa4, 0xff])
  })
})

describe('isBuffered', () => {
  it.each([
    [[1, 1.2, 1.4, 1.5, 1.6], true],
    [[1, 20, 40, 60, 80], false],
    [[1, 1.2, 1.4, 1.5], false],
    [[], false],
  ])('with chunks at %j returns %s', (times, expected) => {
    const chunks = times.map((at) => ({ at, bytes: 1, isCut: false, data: toBytes('a') }))
    expect(isBuffered({ status: 200, headers: [], headAt: 0, chunks, total: null })).toBe(expected)
  })
})
