import { describe, expect, it } from 'vitest'
import { createTestStep } from '../run/test-run.test.fixture.ts'
import type { RunModelStep } from '../../run.ts'
import { toConversation } from './conversation.ts'

const text = (value: unknown): RunModelStep['input'] => {
  const json = JSON.stringify(value)
  return { text: json, bytes: json.length, isCut: false }
}
const step = (request: object, answer: unknown, change: Partial<RunModelStep> = {}): RunModelStep =>
  createTestStep({ input: text({ earlier: 0, tools: [], ...request }), output: text(answer), ...change })
const texts = (messages: ReturnType<typeof toConversation>): [string, string][] =>
  messages.map(({ role, parts }) => [role, parts.map((part) => part.text ?? part.toolName ?? part.type).join(' ')])

const TOOL_CALL = { type: 'tool-call', toolCallId: 'c', toolName: 'greet', input: {} }
const ASKED = { role: 'user', content: 'Greet Ada' }

describe('toConversation', () => {
  it('reads the messages of the caller and the streamed answer', () => {
    const input = { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }
    const output = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hello' },
    ]
    expect(texts(toConversation({ input, output, models: [] }))).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ])
  })

  it('reads the history that the agent has loaded from its model call, since the caller sends one message', () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    ]
    const models = [step({ system: 'Be kind.', messages: [...history, { role: 'user', content: 'Tea?' }] }, [])]
    const output = [{ type: 'text-delta', id: '1', delta: 'Yes' }]
    expect(texts(toConversation({ input: { text: 'Tea?' }, output: [{ type: 'start' }, ...output], models }))).toEqual([
      ['system', 'Be kind.'],
      ['user', 'Hi'],
      ['assistant', 'Hello'],
      ['user', 'Tea?'],
      ['assistant', 'Yes'],
    ])
  })

  it('adds the results of tools to their calls, over all steps of the last model call', () => {
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'greet', output: { type: 'json', value: 7 } }
    const models = [
      step({ messages: [ASKED] }, [TOOL_CALL]),
      step(
        {
          earlier: 1,
          messages: [
            { role: 'assistant', content: [TOOL_CALL] },
            { role: 'tool', content: [result] },
          ],
        },
        [{ type: 'text', text: 'Done.' }],
        { index: 1 },
      ),
      step({ messages: [{ role: 'user', content: 'nested' }] }, [], { spanId: 1, call: 2 }),
    ]
    const [asked, answer] = toConversation({ input: null, output: [{ greeting: 7 }], models })
    expect(asked?.parts).toEqual([{ type: 'text', text: 'Greet Ada' }])
    expect(answer?.parts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'greet', state: 'output-available', output: 7 },
      { type: 'text', text: 'Done.' },
    ])
  })

  it('shows denied and failed tools, and the error of a model', () => {
    const results = [
      { type: 'tool-result', toolCallId: 'c', output: { type: 'execution-denied', value: null } },
      { type: 'tool-result', toolCallId: 'd', output: { type: 'error-text', value: 'no' } },
    ]
    const calls = { role: 'assistant', content: [TOOL_CALL, { ...TOOL_CALL, toolCallId: 'd' }] }
    const error = { name: 'Error', message: 'overloaded', code: null, frames: [], codeFrame: '', cause: null }
    const models = [step({ messages: [ASKED, calls, { role: 'tool', content: results }] }, null, { error })]
    expect(toConversation({ input: null, output: [], models })[1]?.parts).toMatchObject([
      { state: 'output-denied' },
      { state: 'output-error', errorText: 'no' },
      { type: 'error', errorText: 'overloaded' },
    ])
  })

  it('is empty for a run without a model or a message', () => {
    expect(toConversation({ input: { text: 'Hi' }, output: ['a', 'b'], models: [] })).toEqual([])
  })

  it('does not fail for a truncated request', () => {
    const models = [createTestStep({ input: { text: '{"mess', bytes: 900, isCut: true } })]
    expect(toConversation({ input: { prompt: 'Hi' }, output: [], models })).toEqual([])
  })
})
