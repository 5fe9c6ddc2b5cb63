import { createAgent, createApp, createResource, createRouter, memoryStore } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { generateText, stepCountIs, streamText, type ToolSet } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { silent } from '../contract/opened-engines.ts'

type Answer = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Creates a model that calls tools with these inputs, one per step, and then ends with the last result. */
function createModel(calls: readonly (readonly [toolName: string, input: object])[]): MockLanguageModelV3 {
  let step = 0
  return new MockLanguageModelV3({
    doGenerate({ prompt }): Promise<Answer> {
      const [toolName, input] = calls[step] ?? []
      step += 1
      const text = JSON.stringify(prompt.at(-1)?.content)
      const content: Answer['content'] =
        toolName === undefined
          ? [{ type: 'text', text }]
          : [{ type: 'tool-call', toolCallId: String(step), toolName, input: JSON.stringify(input) }]
      const unified = toolName === undefined ? 'stop' : 'tool-calls'
      return Promise.resolve({ content, usage, warnings: [], finishReason: { unified, raw: unified } })
    },
  })
}

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string().max(20) }),
  store: memoryStore(),
  access: ({ user }) => (user === null ? false : { ownerId: user.id }),
  assign: ({ user }) => ({ ownerId: user.id }),
})
const weather = createAgent('weather', {
  description: 'Returns the weather in a city.',
  input: z.object({ city: z.string() }),
  handler: (_ctx, { city }) => ({ sky: city === 'London' ? 'rain' : 'sun' }),
})

describe('ctx.tools with the AI SDK', () => {
  it('offers routes to a model, which repairs a refused call', async () => {
    const model = createModel([
      ['callWeather', { city: 'London' }],
      ['createTask', { title: 'Tea', more: 1 }],
      ['createTask', { title: 'Tea' }],
      ['listTasks', { limit: 5 }],
    ])
    const chat = createAgent('chat', {
      async handler(ctx) {
        const tools: ToolSet = await ctx.tools(['POST /agent/weather', 'GET /api/v1/tasks', 'POST /api/v1/tasks'])
        const result = await generateText({ model, prompt: 'Hi', stopWhen: stepCountIs(6), tools })
        return result.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as unknown))
      },
    })
    const router = createRouter().resource('v1', tasks)
    const app = await testApp(createApp({ agents: [chat, weather], router, log: silent }))
    const outputs = await app.as({ name: 'Ada' }).call('POST /agent/chat')
    expect(outputs).toMatchObject([
      { sky: 'rain' },
      { error: { code: 'INVALID_REQUEST', details: [{ code: 'UNKNOWN_FIELD', pointer: '/more' }] } },
      { title: 'Tea' },
      { data: [{ title: 'Tea' }] },
    ])
    const [offered] = model.doGenerateCalls[0]?.tools ?? []
    expect(offered).toEqual({
      type: 'function',
      name: 'callWeather',
      description: 'Returns the weather in a city.',
      inputSchema: expect.objectContaining({ properties: { city: { type: 'string' } }, required: ['city'] }),
    })
    await app.close()
  })

  it('accepts the types of tools with names of their own, and further options', () => {
    const handlers = [
      createAgent('named', {
        async handler(ctx) {
          const { forecast } = await ctx.tools({ forecast: 'POST /agent/weather' })
          return streamText({
            model: createModel([]),
            prompt: 'Hi',
            tools: { forecast: { ...forecast, needsApproval: true } },
          }).toTextStreamResponse()
        },
      }),
      createAgent('listed', {
        async handler(ctx) {
          return streamText({
            model: createModel([]),
            prompt: 'Hi',
            tools: await ctx.tools(['POST /agent/weather']),
          }).toTextStreamResponse()
        },
      }),
    ]
    expect(handlers).toHaveLength(2)
  })
})
