import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, drain } from './cuts.test.fixture.ts'
import {
  CONTENT_TYPE,
  createChunkSplitter,
  framingOf,
  joinEvent,
  joinLine,
  type ChunkOptions,
  type Framing,
} from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const chunksOf = (text: string, framing: Framing, options?: ChunkOptions): unknown[] =>
  drain(createChunkSplitter(framing, options), [encode(text)]).pieces

/** JSON values after a round trip (-0 becomes 0). */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)

describe('framingOf', () => {
  it.each([
    [CONTENT_TYPE.ndjson, 'ndjson'],
    ['application/x-ndjson; charset=utf-8', 'ndjson'],
    ['APPLICATION/JSONL', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    [CONTENT_TYPE.sse, 'sse'],
    [' text/event-stream ;charset=utf-8', 'sse'],
    ['text/plain', 'text'],
    ['text/html;charset=utf-8', 'text'],
    ['application/octet-stream', 'text'],
    ['application/json', null],
    ['application/json; charset=utf-8', null],
    ['image/png', null],
    ['constructor', null],
    ['__proto__', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('returns the framing of %j: %j', (type, framing) => {
    expect(framingOf(type)).toBe(framing)
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (type) => ['ndjson', 'sse', 'text', null].includes(framingOf(type))))
  })
})

describe('joinLine', () => {
  it('writes one line for any JSON value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const line = joinLine(value)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(JSON.parse(line)).toEqual(value)
      }),
    )
  })

  it('writes a value that JSON cannot represent as null', () => {
    expect(joinLine(undefined)).toBe('null\n')
  })
})

describe('createChunkSplitter', () => {
  it.each<[Framing, (value: unknown) => string]>([
    ['ndjson', joinLine],
    ['sse', (value) => joinEvent(value)],
    ['text', joinLine],
  ])('yields the values that were joined as %s, wherever the bytes are cut', (framing, join) => {
    const stream = fc.array(json).chain((values) => fc.tuple(fc.constant(values), cutBytes(values.map(join).join(''))))
    fc.assert(
      fc.property(stream, ([values, parts]) => {
        expect(drain(createChunkSplitter(framing), parts)).toEqual({ pieces: values, error: null })
      }),
    )
  })

  it('does not require a line break after the last line', () => {
    expect(chunksOf('{"a":1}\n{"a":2}', 'ndjson')).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('skips the empty lines that keep an NDJSON connection alive', () => {
    expect(chunksOf('1\r\n\r\n\n  \n2\n', 'ndjson')).toEqual([1, 2])
    expect(chunksOf('1\n\n2\n', 'ndjson', { delimiter: '\n' })).toEqual([1, 2])
  })

  it('throws at a malformed line, after the same chunks wherever the bytes are cut', () => {
    fc.assert(
      fc.property(cutBytes('1\n2\noops\n3\n'), (parts) => {
        const { pieces, error } = drain(createChunkSplitter('ndjson'), parts)
        expect(pieces).toEqual([1, 2])
        expect(error).toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining('oops') })
      }),
    )
  })

  it('yields pieces of text as JSON if they can be parsed, or else as text', () => {
    expect(chunksOf('hello\n{"a":1}\n42\n {"b"\ntrue\ntrue love\n-\n\nnull', 'text')).toEqual([
      'hello',
      { a: 1 },
      42,
      ' {"b"',
      true,
      'true love',
      '-',
      '',
      null,
    ])
  })

  it('parses a piece as JSON exactly if JSON.parse does', () => {
    const parse = (text: string): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        return text
      }
    }
    const pieces = fc.oneof(fc.string(), fc.json(), fc.constantFrom(' null ', '\t-1', 'nullx', '"', '[', '+1', '.5'))
    fc.assert(
      fc.property(
        pieces.filter((piece) => piece !== '' && !/[\n\uFEFF]/.test(piece)),
        (piece) => {
          expect(chunksOf(piece, 'text')).toEqual([parse(piece)])
        },
      ),
    )
  })

  it('splits by the delimiter of the caller in every framing', () => {
    expect(chunksOf('1||two||{"three":3}', 'ndjson', { delimiter: '||' })).toEqual([1, 'two', { three: 3 }])
    expect(chunksOf('data: 1|data: 2', 'sse', { delimiter: '|' })).toEqual(['data: 1', 'data: 2'])
  })

  it('yields event data as JSON if it can be parsed, or else as text', () => {
    expect(chunksOf('data: {"a":1}\n\ndata: [DONE]\n\n', 'sse')).toEqual([{ a: 1 }, '[DONE]'])
  })

  it.each<Framing>(['ndjson', 'sse', 'text'])('limits the length of a chunk of %s', (framing) => {
    const { error } = drain(createChunkSplitter(framing, { maxLength: 10 }), [encode(`"${'x'.repeat(20)}"`)])
    expect(error).toMatchObject({ code: 'INVALID_RESPONSE' })
  })
})
