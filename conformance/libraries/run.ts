/**
 * Runs the functions of docs/guide/tools.md that convert tools for other libraries, each with a model of that library
 * that calls a tool twice: once with valid input, and once with an unknown field. The libraries are real, and only the
 * answers of the models are fixed.
 */
import assert from 'node:assert/strict'
import { ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { Agent as MastraAgent } from '@mastra/core/agent'
import { Agent, run, Usage, type AgentOutputItem, type Model } from '@openai/agents'
import { createAgent, createApp, createLog } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { MockLanguageModelV3 } from 'ai/test'
import { z } from 'zod'
import { toLangChainTools } from './src/lib/langchain.ts'
import { toMastraTools } from './src/lib/mastra.ts'
import { toAgentTools } from './src/lib/openai-agents.ts'

const ROUTES = ['POST /agent/weather'] as const
const NAME = 'callWeather'
/** The inputs with which each model calls the tool. */
const INPUTS = [{ city: 'London' }, { city: 'London', more: 1 }] as const
const PROMPT = 'What is the weather in London?'

/** What a library has offered to its model and returned to it. */
interface Trace {
  readonly offered: unknown
  readonly results: readonly unknown[]
}

const weather = createAgent('weather', {
  description: 'Returns the weather in a city.',
  input: z.object({ city: z.string().max(100) }),
  output: z.object({ sky: z.string() }),
  handler: (_ctx, { city }) => ({ sky: city === 'London' ? 'rain' : 'sun' }),
})

const openai = createAgent('openai', {
  async handler(ctx): Promise<Trace> {
    const offered: unknown[] = []
    let step = 0
    const model: Model = {
      getResponse({ tools }) {
        offered.push(...tools)
        const call = INPUTS[step++]
        const output: AgentOutputItem[] =
          call === undefined
            ? [
                {
                  type: 'message',
                  role: 'assistant',
                  status: 'completed',
                  content: [{ type: 'output_text', text: '' }],
                },
              ]
            : [{ type: 'function_call', callId: String(step), name: NAME, arguments: JSON.stringify(call) }]
        return Promise.resolve({ usage: new Usage(), output })
      },
      getStreamedResponse() {
        throw new Error('must not stream')
      },
    }
    const agent = new Agent({ name: 'Assistant', model, tools: toAgentTools(await ctx.tools(ROUTES)) })
    const { newItems } = await run(agent, PROMPT)
    const results = newItems.flatMap((item) => (item.type === 'tool_call_output_item' ? [item.output] : []))
    return { offered: offered[0], results }
  },
})

const langchain = createAgent('langchain', {
  async handler(ctx): Promise<Trace> {
    const tools = toLangChainTools(await ctx.tools(ROUTES))
    const fake = fakeModel()
    for (const [at, args] of INPUTS.entries()) fake.respondWithTools([{ name: NAME, args, id: String(at) }])
    const model = fake.bindTools(tools)
    const messages: BaseMessage[] = []
    const results: unknown[] = []
    while (results.length < INPUTS.length) {
      const answer = await model.invoke([...messages, PROMPT])
      for (const call of answer.tool_calls ?? []) {
        const message: unknown = await tools
          .find(({ name }) => name === call.name)
          ?.invoke({ ...call, type: 'tool_call' })
        assert(message instanceof ToolMessage)
        messages.push(answer, message)
        results.push(message.content)
      }
    }
    return { offered: tools.map((tool) => convertToOpenAITool(tool)), results }
  },
})

const mastra = createAgent('mastra', {
  async handler(ctx): Promise<Trace> {
    type Answer = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>
    let step = 0
    const model = new MockLanguageModelV3({
      doGenerate() {
        const input = INPUTS[step++]
        const content: Answer['content'] =
          input === undefined
            ? [{ type: 'text', text: '' }]
            : [{ type: 'tool-call', toolCallId: String(step), toolName: NAME, input: JSON.stringify(input) }]
        const unified = input === undefined ? 'stop' : 'tool-calls'
        return Promise.resolve({ content, usage: USAGE, warnings: [], finishReason: { unified, raw: unified } })
      },
    })
    const tools = toMastraTools(await ctx.tools(ROUTES))
    const agent = new MastraAgent({ id: 'assistant', name: 'Assistant', instructions: '', model, tools })
    const { toolResults } = await agent.generate(PROMPT, { maxSteps: 5 })
    return { offered: model.doGenerateCalls[0]?.tools, results: toolResults.map(({ payload }) => payload.result) }
  },
})

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const SCHEMA = '"properties":{"city":{"type":"string","maxLength":100}},"required":["city"]'
const details = [{ code: 'UNKNOWN_FIELD', message: 'is not a known field', source: 'body', pointer: '/more' }]
const error = { code: 'INVALID_REQUEST', message: 'more is not a known field', details }

const log = createLog({ write: () => {} })
const app = await testApp(createApp({ agents: [weather, openai, langchain, mastra], log }))
for (const name of ['openai', 'langchain', 'mastra']) {
  const { offered, results } = (await app.call(`POST /agent/${name}`)) as Trace
  assert.ok(JSON.stringify(offered).includes(SCHEMA), `${name} offers ${JSON.stringify(offered)}`)
  // LangChain returns results to the model as text.
  const values = results.map((result): unknown => (typeof result === 'string' ? JSON.parse(result) : result))
  assert.deepEqual(values, [{ sky: 'rain' }, { error }], name)
}
await app.close()
