import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, cutText, drain } from './cuts.test.fixture.ts'
import { createEventSplitter, joinEvent, type ServerSentEvent } from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const eventsOf = (text: string): ServerSentEvent[] => drain(createEventSplitter(), [encode(text)]).pieces

/** Runs the algorithm of the standard over the whole text. */
function oracle(text: string): ServerSentEvent[] {
  const lines = new TextDecoder()
    .decode(encode(text))
    .split(/\r\n|\r|\n/)
    .slice(0, -1)
  const events: ServerSentEvent[] = []
  let [data, event, id] = ['', '', '']
  let retry: number | undefined
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (line === '') {
      const last = { id, ...(retry === undefined ? {} : { retry }) }
      if (data !== '') events.push({ data: data.slice(0, -1), event: event === '' ? 'message' : event, ...last })
      data = event = ''
    } else if (name === 'data') data += `${value}\n`
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^[0-9]+$/.test(value)) retry = Number(value)
  }
  return events
}

describe('createEventSplitter', () => {
  it('yields the same events wherever the bytes are cut', () => {
    const words = [
      'data',
      'event',
      'id',
      'retry',
      ':',
      ': ',
      ' ',
      '7',
      '\0',
      '\r',
      '\n',
      '\r\n',
      '\n\n',
      '\uFEFF',
      '🎉',
      'data: x\n',
    ]
    fc.assert(
      fc.property(cutText(...words), ({ text, parts }) => {
        expect(drain(createEventSplitter(), parts)).toEqual({ pieces: oracle(text), error: null })
      }),
      { numRuns: 1000 },
    )
  })

  it.each(['\n', '\r', '\r\n'])('reads lines that end with %j, cut anywhere', (end) => {
    const text = ['event: tick', 'id: 1', 'data: one', 'data: two', '', ': comment', 'data: three', '', ''].join(end)
    fc.assert(
      fc.property(cutBytes(text), (parts) => {
        expect(drain(createEventSplitter(), parts).pieces).toEqual([
          { data: 'one\ntwo', event: 'tick', id: '1' },
          { data: 'three', event: 'message', id: '1' },
        ])
      }),
    )
  })

  it('treats CRLF as one line break, even with an empty part in the middle', () => {
    const parts = ['data: a\r', '', '\ndata: b\r\n', '\r', '\n'].map(encode)
    expect(drain(createEventSplitter(), parts).pieces).toEqual([{ data: 'a\nb', event: 'message', id: '' }])
  })

  it('ignores a byte order mark only at the beginning', () => {
    const events = eventsOf('\uFEFFdata: one\n\ndata: \uFEFFtwo\n\n\uFEFFdata: three\n\n')
    expect(events.map(({ data }) => data)).toEqual(['one', '\uFEFFtwo'])
  })

  it('removes only one space after the colon', () => {
    expect(eventsOf('data:a\ndata: b\ndata:  c\ndata\n\n').map(({ data }) => data)).toEqual(['a\nb\n c\n'])
  })

  it('yields an event with empty data, but none without a data line', () => {
    expect(eventsOf('data\n\nevent: x\n\n')).toEqual([{ data: '', event: 'message', id: '' }])
  })

  it('keeps id and retry for the events that follow, even from a block without data', () => {
    expect(eventsOf('retry: 50\nid: a\n\ndata: 1\n\nid\ndata: 2\n\n')).toEqual([
      { data: '1', event: 'message', id: 'a', retry: 50 },
      { data: '2', event: 'message', id: '', retry: 50 },
    ])
  })

  it('ignores an id with a NUL, a retry that is not a number, and unknown fields', () => {
    expect(eventsOf('id: a\0b\nretry: soon\nnext: 1\ndata: x\n\n')).toEqual([{ data: 'x', event: 'message', id: '' }])
  })

  it('drops an incomplete event', () => {
    expect(eventsOf('data: one\n\ndata: two\n').map(({ data }) => data)).toEqual(['one'])
  })

  it('rejects data that is too long, in one line or in several', () => {
    const limited = (text: string): unknown => drain(createEventSplitter({ maxLength: 20 }), [encode(text)]).error
    expect(limited(`data: ${'x'.repeat(30)}`)).toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(limited('data: 12345\n'.repeat(5))).toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(limited('data: 12345\n\n'.repeat(5))).toBeNull()
  })
})

describe('joinEvent', () => {
  it('writes events that createEventSplitter reads, for any JSON value and fields', () => {
    const field = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n\0]/.test(text))
    const fields = fc.record({ event: field, id: field, retry: fc.nat() }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.jsonValue(), fields, (value, given) => {
        const [event, ...others] = eventsOf(joinEvent(value, given))
        expect(others).toEqual([])
        expect(JSON.parse(event?.data ?? '')).toEqual(JSON.parse(JSON.stringify(value)))
        expect(event).toMatchObject({ ...given, event: given.event || 'message' })
      }),
    )
  })

  it('writes a value that JSON cannot represent as null', () => {
    expect(joinEvent(undefined)).toBe('data: null\n\n')
  })

  it('omits undefined fields', () => {
    expect(joinEvent(1, { event: undefined, id: '7' })).toBe('id: 7\ndata: 1\n\n')
  })

  it.each(['a\nb', 'a\rb', 'a\0b'])('throws if a field has more than one line: %j', (text) => {
    expect(() => joinEvent(1, { event: text })).toThrow(TypeError)
    expect(() => joinEvent(1, { id: text })).toThrow('id cannot contain CR, LF or NUL')
  })
})
