import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../define/agent.ts'
import { describeAgent } from './describe-agent.ts'

describe('describeAgent', () => {
  it('returns the name, route, description and schemas', () => {
    const agent = createAgent('summarize', {
      description: 'Summarizes a text',
      input: z.object({ text: z.string() }),
      output: z.object({ sentence: z.string() }),
      handler: (_, { text }) => ({ sentence: text }),
    })
    expect(describeAgent(agent)).toMatchObject({
      name: 'summarize',
      route: 'POST /agent/summarize',
      description: 'Summarizes a text',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      output: { type: 'object', properties: { sentence: { type: 'string' } }, required: ['sentence'] },
    })
  })

  it('distinguishes a schema without JSON Schema from no schema', () => {
    const anything = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
    const agent = createAgent('odd', { input: anything, handler: (_, input) => input })
    expect(describeAgent(agent)).toMatchObject({ input: null, checkedBy: 'own' })
  })

  it('returns null for missing properties', () => {
    expect(describeAgent(createAgent('echo', { handler: (_, input) => input }))).toStrictEqual({
      name: 'echo',
      route: 'POST /agent/echo',
      description: null,
      input: null,
      checkedBy: null,
      output: null,
    })
  })
})
