import { describe, expect, it } from 'vitest'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { chatStyleOf, toAnswerParts, toChatInput } from './chat.ts'
import { toMessage, toTextMessage } from './conversation.ts'

const object = (properties: object, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
})
const TEXT = { type: 'string' }

describe('chatStyleOf', () => {
  it.each([
    [object({ messages: { type: 'array', items: {} } }), false, 'parts'],
    [object({ messages: { type: 'array', items: object({ role: TEXT, content: TEXT }) } }), false, 'content'],
    [object({ messages: {} }), false, 'parts'],
    [object({ messages: { type: 'number' } }), false, null],
    [object({ id: TEXT, text: TEXT }, ['id', 'text']), true, 'text'],
    [object({ id: TEXT, text: TEXT }, ['id', 'text']), false, null],
    [object({ text: TEXT, cost: { type: 'number' } }, ['cost']), true, null],
    [null, true, null],
  ])('for %j is %s', (schema, isDurable, expected) => {
    expect(chatStyleOf(schema, isDurable)).toBe(expected)
  })
})

describe('toChatInput', () => {
  const messages = [
    toTextMessage('1', 'Hi'),
    toMessage('2', 'assistant', [
      { type: 'text', text: 'Hello' },
      { type: 'error', errorText: 'cut' },
    ]),
    toTextMessage('3', 'Tea?'),
  ]
  const current = { ...EMPTY_INPUT, body: '{"model":"small","messages":[]}', headers: [['x-a', '1']] as const }

  it('sends all messages without errors, and keeps the other fields', () => {
    const { body, headers } = toChatInput(current, { style: 'parts', messages, thread: 't' })
    expect(JSON.parse(body)).toMatchObject({
      model: 'small',
      messages: [{ id: '1' }, { parts: [{ text: 'Hello' }] }, {}],
    })
    expect(body).not.toContain('cut')
    expect(headers).toEqual(current.headers)
  })

  it('sends texts to an agent that expects content', () => {
    const { body } = toChatInput(current, { style: 'content', messages, thread: 't' })
    expect(JSON.parse(body)).toMatchObject({ messages: [{ role: 'user', content: 'Hi' }, { content: 'Hello' }, {}] })
  })

  it('sends the newest text to a thread, once', () => {
    const first = toChatInput({ ...current, body: '' }, { style: 'text', messages, thread: 't' })
    const { body, headers } = toChatInput(first, { style: 'text', messages, thread: 't2' })
    expect(JSON.parse(body)).toEqual({ id: '3', text: 'Tea?' })
    expect(headers).toEqual([...current.headers, ['run-thread', 't2']])
  })
})

describe('toAnswerParts', () => {
  it.each([
    [undefined, []],
    [['Hel', 'lo'], [{ type: 'text', text: 'Hello' }]],
    ['Hello', [{ type: 'text', text: 'Hello' }]],
    [{ a: 1 }, [{ type: 'text', text: '{\n  "a": 1\n}' }]],
    [[{ type: 'start' }, { type: 'start-step' }], [{ type: 'step-start' }]],
  ])('of %j are %j', (output, expected) => {
    expect(toAnswerParts(output, [])).toEqual(expected)
  })
})
