import { describe, expect, it } from 'vitest'
import { fileNameOf, joinTexts, toOutput, toOutputText } from './output.ts'
import { createResponseRecorder, type StreamRecording } from './recording.ts'

function record(type: string, ...texts: string[]): StreamRecording {
  const recorder = createResponseRecorder()
  recorder.head(200, [['content-type', type]])
  for (const text of texts) recorder.add(new TextEncoder().encode(text))
  recorder.end()
  return recorder.snapshot()
}

describe('toOutput', () => {
  it.each([
    ['application/json', ['{"a":', '1}'], { kind: 'value', value: { a: 1 } }],
    ['application/problem+json', ['{}'], { kind: 'value', value: {} }],
    ['application/json', ['{"a":'], { kind: 'text' }],
    ['application/x-ndjson', ['1\n2', '\n'], { kind: 'chunks', values: [1, 2] }],
    ['text/event-stream', ['data: {"n":1}\n\n'], { kind: 'chunks', values: [{ n: 1 }] }],
    ['text/plain', ['a\nb'], { kind: 'text' }],
    ['image/png', ['x'], { kind: 'binary' }],
    ['application/json', [], { kind: 'nothing' }],
  ])('reads %s %j', (type, texts, expected) => {
    expect(toOutput(record(type, ...texts))).toEqual(expected)
  })

  it('uses the output that a client parsed, if available', () => {
    expect(toOutput(record('application/x-ndjson', '1\n'), [1])).toEqual({ kind: 'chunks', values: [1] })
    expect(toOutput(record('application/json', '{}'), { a: 1 })).toEqual({ kind: 'value', value: { a: 1 } })
  })
})

describe('toOutputText', () => {
  it('truncates the text at the limit', () => {
    expect(toOutputText(record('text/plain', 'abc', 'def'), 4)).toBe('abcd')
  })
})

describe('joinTexts', () => {
  it('joins a list of texts, and returns null for other lists', () => {
    expect([['a', 'b'], ['a', 1], []].map(joinTexts)).toEqual(['ab', null, null])
  })
})

describe('fileNameOf', () => {
  it('returns a name with the route and the file type', () => {
    expect(fileNameOf(record('application/json; charset=utf-8'), 'POST /agent/echo')).toBe('POST-agent-echo.json')
    expect(fileNameOf(record('image/png'), 'GET /api/:id')).toBe('GET-api-id.png')
    expect(fileNameOf(record('application/octet-stream'), 'GET /api/:id')).toBe('GET-api-id.bin')
  })
})
