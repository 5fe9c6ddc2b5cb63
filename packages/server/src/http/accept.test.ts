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
