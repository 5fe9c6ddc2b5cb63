import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isMessageStream, readAnswer } from './read-answer.ts'

const CALL = { toolCallId: 'c', toolName: 'greet', input: { name: 'Ada' } }

describe('readAnswer', () => {
  it('joins texts and reasoning, also if their chunks are mixed', () => {
    const parts = readAnswer([
      { type: 'start', messageId: 'm' },
      { type: 'start-step' },
      { type: 'reasoning-start', id: '1' },
      { type: 'text-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm' },
      { type: 'text-delta', id: '1', delta: 'Hel' },
      { type: 'text-delta', id: '1', delta: 'lo' },
      { type: 'reasoning-end', id: '1', providerMetadata: { p: { signature: 's' } } },
      { type: 'text-end', id: '1' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: '!' },
      { type: 'finish' },
    ])
    expect(parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm', providerMetadata: { p: { signature: 's' } } },
      { type: 'text', text: 'Hello' },
      { type: 'text', text: '!' },
    ])
  })

  it.each([
    [
      { type: 'tool-output-available', toolCallId: 'c', output: 7 },
      { state: 'output-available', output: 7 },
    ],
    [
      { type: 'tool-output-error', toolCallId: 'c', errorText: 'no' },
      { state: 'output-error', errorText: 'no' },
    ],
    [{ type: 'tool-output-denied', toolCallId: 'c' }, { state: 'output-denied' }],
    [
      { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' },
      { state: 'approval-requested', approval: { id: 'a' } },
    ],
  ])('reads a tool call and %j', (chunk, expected) => {
    const start = { type: 'tool-input-start', toolCallId: 'c', toolName: 'greet' }
    const base = { type: 'tool-greet', toolCallId: 'c', input: { name: 'Ada' } }
    expect(readAnswer([start, { type: 'tool-input-available', ...CALL }, chunk])).toEqual([{ ...base, ...expected }])
  })

  it('continues a message, and does not change the parts that it had', () => {
    const before = [{ type: 'tool-greet', toolCallId: 'c', state: 'approval-responded' }] as const
    const parts = readAnswer([{ type: 'tool-output-available', toolCallId: 'c', output: 7 }], before)
    expect(parts).toEqual([{ type: 'tool-greet', toolCallId: 'c', state: 'output-available', output: 7 }])
    expect(before[0].state).toBe('approval-responded')
  })

  it('replaces data with the same id, and leaves out transient data', () => {
    const data = (value: number, more: object = {}): object => ({ type: 'data-mood', id: 'd', data: value, ...more })
    expect(readAnswer([data(1), data(2), data(3, { transient: true })])).toEqual([data(2)])
  })

  it('never throws for unknown chunks, and keeps all text', () => {
    const chunk = fc.record({
      type: fc.constantFrom('text-delta', 'text-end', 'tool-output-available', 'data-x', 'unknown'),
      id: fc.constantFrom('1', '2'),
      delta: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, fc.anything())), (chunks) => {
        const deltas = chunks.map((one) => {
          const { type, delta } = (one ?? {}) as { type?: unknown; delta?: unknown }
          return type === 'text-delta' ? String(delta) : ''
        })
        const texts = readAnswer(chunks).map(({ type, text }) => (type === 'text' ? text : ''))
        expect(texts.join('').length).toBe(deltas.join('').length)
      }),
      { numRuns: 50 },
    )
  })
})

describe('isMessageStream', () => {
  it.each([
    [[{ type: 'start' }], true],
    [[{ type: 'text-start', id: '1' }], true],
    [[{ type: 'data-mood', data: 1 }], true],
    [[{ type: 'note', text: 'x' }], false],
    [['start'], false],
    [[], false],
  ])('for %j is %s', (chunks, expected) => {
    expect(isMessageStream(chunks)).toBe(expected)
  })
})
