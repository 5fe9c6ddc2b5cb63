// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest'
import { jsonSyntaxIssue, readSent, rememberSent, sampleMessage, toBurst } from './sent-history.ts'

beforeEach(() => localStorage.clear())

describe('rememberSent', () => {
  it('stores each message once per socket, with the latest last', () => {
    for (const text of ['1', '2', '1']) rememberSent('/ws/a', text)
    rememberSent('/ws/b', '9')
    expect(readSent('/ws/a')).toEqual(['2', '1'])
  })

  it('stores at most 50 messages', () => {
    for (let n = 0; n < 60; n++) rememberSent('/ws/a', `${n}`)
    expect([readSent('/ws/a').length, readSent('/ws/a')[0]]).toEqual([50, '10'])
  })

  it('ignores an invalid stored value', () => {
    localStorage.setItem('workbench:sent:/ws/a', '{')
    expect(readSent('/ws/a')).toEqual([])
    localStorage.setItem('workbench:sent:/ws/a', '{"a":1}')
    expect(readSent('/ws/a')).toEqual([])
  })
})

describe('sampleMessage', () => {
  it('returns a sample of the schema, or a default message', () => {
    const schema = {
      type: 'object',
      properties: { room: { type: 'string' }, n: { type: 'number' } },
      required: ['room'],
    }
    expect(Object.keys(JSON.parse(sampleMessage(schema)) as object)).toEqual(['room'])
    expect(JSON.parse(sampleMessage(undefined))).toEqual({ text: 'Hello' })
  })
})

describe('jsonSyntaxIssue', () => {
  it('returns the syntax error of text that is not JSON', () => {
    expect(jsonSyntaxIssue('{"a":1}')).toBeNull()
    expect(jsonSyntaxIssue('{a:1}')).toContain('JSON')
  })
})

describe('toBurst', () => {
  it('numbers the messages of a burst, and does not change a single one', () => {
    expect(toBurst('"$n of $n"', 2)).toEqual(['"1 of 1"', '"2 of 2"'])
    expect(toBurst('"$n"', 1)).toEqual(['"$n"'])
  })
})
