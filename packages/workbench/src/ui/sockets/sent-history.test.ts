// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest'
import { jsonSyntaxIssue, readSent, rememberSent, sampleMessage, toBurst } from './sent-history.ts'

beforeEach(() => localStorage.clear())

describe('rememberSent', () => {
  it('keeps each message once, the latest last, for each socket apart', () => {
    for (const text of ['1', '2', '1']) rememberSent('/ws/a', text)
    rememberSent('/ws/b', '9')
    expect(readSent('/ws/a')).toEqual(['2', '1'])
  })

  it('keeps 50 of them', () => {
    for (let n = 0; n < 60; n++) rememberSent('/ws/a', `${n}`)
    expect([readSent('/ws/a').length, readSent('/ws/a')[0]]).toEqual([50, '10'])
  })

  it('begins anew where something else is kept', () => {
    localStorage.setItem('workbench:sent:/ws/a', '{')
    expect(readSent('/ws/a')).toEqual([])
    localStorage.setItem('workbench:sent:/ws/a', '{"a":1}')
    expect(readSent('/ws/a')).toEqual([])
  })
})

describe('sampleMessage', () => {
  it('is what the schema asks for, or a guess', () => {
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
  it('says why a text is no JSON', () => {
    expect(jsonSyntaxIssue('{"a":1}')).toBeNull()
    expect(jsonSyntaxIssue('{a:1}')).toContain('JSON')
  })
})

describe('toBurst', () => {
  it('counts the messages of a burst, and leaves a single one as it is', () => {
    expect(toBurst('"$n of $n"', 2)).toEqual(['"1 of 1"', '"2 of 2"'])
    expect(toBurst('"$n"', 1)).toEqual(['"$n"'])
  })
})
