import { describe, expect, it } from 'vitest'
import { accepts, namesMediaType } from './accept.ts'

const JSON_TYPE = 'application/json'

describe('accepts', () => {
  it.each([
    [null, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['APPLICATION/JSON', true],
    ['application/json; charset=utf-8', true],
    ['text/html, application/xhtml+xml, */*;q=0.8', true],
    ['text/html;q=0.9, application/json;q=0.001', true],
    ['text/html', false],
    ['text/*', false],
    ['application/json;q=0', false],
    ['application/json;q=0, */*', false],
    ['*/*;q=0', false],
    ['application/json;q=0.5, */*;q=0', true],
    ['application/*;q=0, */*;q=1', false],
    ['application/json;q=much', false],
    [';;,,', false],
  ])('parses %j', (header, isAccepted) => {
    expect(accepts(header, [JSON_TYPE])).toBe(isAccepted)
  })

  it('returns true for any of several types', () => {
    expect(accepts('text/event-stream', [JSON_TYPE, 'text/event-stream'])).toBe(true)
  })
})

describe('a header that is sent again', () => {
  it('has the same meaning for every type, also after many others', () => {
    const headers = Array.from({ length: 250 }, (_, at) => `application/json;q=${at % 2}, x/${at}`)
    const answers = [headers, headers].flat().map((header) => accepts(header, [JSON_TYPE]))
    expect(answers).toEqual([headers, headers].flat().map((_, at) => at % 2 === 1))
    expect(headers.every((header, at) => namesMediaType(header, `x/${at}`))).toBe(true)
    expect(headers.some((header) => namesMediaType(header, 'x/none'))).toBe(false)
  })

  it('may be long', () => {
    const header = `${'text/html, '.repeat(50)}application/json`
    expect([1, 2].map(() => accepts(header, [JSON_TYPE]))).toEqual([true, true])
    expect(accepts(header, ['image/png'])).toBe(false)
  })
})

describe('namesMediaType', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, Text/Event-Stream;q=0.1', true],
    ['application/json, text/event-stream;q=0.1', true],
    ['text/event-stream;q=0', false],
    ['text/*', false],
    ['text/event-stream-x', false],
    [null, false],
  ])('parses %j', (header, isNamed) => {
    expect(namesMediaType(header, 'text/event-stream')).toBe(isNamed)
  })
})
